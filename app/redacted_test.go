package app

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// teller is a plugin whose node gives out a secret that it has concealed.
type teller struct{ calls int }

type tellerOut struct {
	Token string `port:"token" doc:"what is secret"`
}

func (s *teller) Install(r *node.Registrar) {
	r.Register(node.Func("test.tell", "Tell", func(ctx context.Context, _ struct{}) (tellerOut, error) {
		s.calls++
		node.RunOf(ctx).Conceal("hunter2-secret")
		return tellerOut{"Bearer hunter2-secret"}, nil
	}))
}

// A redacted output is not the real output of the node, so a resume does not reuse it.
func TestRedactedOutputsAreNotReused(t *testing.T) {
	c, s := newCounter(), &teller{}
	var log bytes.Buffer
	config := Config{ExtraPlugins: []node.Plugin{c, s}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	inBubble(t, config, func(t *testing.T, a *App) {
		c.set(c.failing, "use")
		const doc = `{"id":"w","nodes":[{"id":"tell","type":"test.tell"},
			{"id":"use","type":"test.count","config":{"label":"use"}}],
			"connections":[{"fromNodeId":"tell","fromPort":"$done","toNodeId":"use","toPort":"$after"}]}`
		id, err := a.StartJSON(t.Context(), []byte(doc), run.Request{})
		require.NoError(t, err)
		ended(t, a, id)
		marked := 0
		for _, e := range everything(t, a, id, 0) {
			if e.Redacted {
				marked++
				require.Equal(t, "tell", e.NodeID)
				require.Equal(t, map[string]any{"token": "Bearer [redacted]"}, e.Outputs)
			}
		}
		require.Equal(t, 1, marked)
		c.set(c.failing)
		id, err = a.Resume(t.Context(), id, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
		require.Equal(t, 2, s.calls)

		c.set(c.failing, "use")
		waited, err := a.ExecuteJSON(t.Context(), []byte(doc), run.Request{Record: true})
		require.NoError(t, err)
		c.set(c.failing)
		id, err = a.Resume(t.Context(), waited.Result().RunID, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
		require.Equal(t, 4, s.calls, "nor is it of a run that somebody waited for")
	})
	require.Regexp(t, `level=WARN msg="run ended" .*status=failed .*node=use code=broken message="use is broken"`, log.String())
	require.NotContains(t, log.String(), "hunter2")
}
