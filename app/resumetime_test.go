package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	timenode "github.com/svcflow/svc/nodes/time"
)

// The time that a run has seen is recorded: a resume a day later sees the same time.
func TestResumeSeesTheSameTime(t *testing.T) {
	const dated = `{"id":"dated","nodes":[
		{"id":"now","type":"time.now"},
		{"id":"last","type":"test.count","config":{"label":"last"}},
		{"id":"out","type":"io.output","config":{"name":"at"}}],
		"connections":[{"fromNodeId":"now","fromPort":"iso","toNodeId":"last","toPort":"item"},
			{"fromNodeId":"last","fromPort":"item","toNodeId":"out","toPort":"value"}]}`
	c := newCounter()
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c, timenode.Plugin()}}, func(t *testing.T, a *App) {
		at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		c.set(c.failing, "last "+at)
		first, err := a.StartJSON(t.Context(), []byte(dated), run.Request{})
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, ended(t, a, first).Result.Status)
		<-time.After(24 * time.Hour)
		c.set(c.failing)
		second, err := a.Resume(t.Context(), first, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"at": at}, ended(t, a, second).Result.Outputs)
	})
}
