package engine_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

type sent struct {
	Key string `port:"key" doc:"What names the call."`
}

// TestALostAttemptIsNotRepeated resumes a run in which every node was running.
func TestALostAttemptIsNotRepeated(t *testing.T) {
	type message struct {
		Text  string         `port:"text" default:"" doc:"The text."`
		Error map[string]any `port:"error,optional" doc:"What went wrong."`
	}
	var mu sync.Mutex
	calls := map[string]int{}
	send := func(ctx context.Context, in message) (sent, error) {
		mu.Lock()
		defer mu.Unlock()
		calls[in.Text]++
		return sent{node.Key(ctx)}, nil
	}
	registry, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{
		node.Func("test.send", "Send", send).Once(),
		node.Func("test.look", "Look", send),
		node.Func("test.some", "Some", send).OnceIf("its text is some-once", func(b node.Binding) bool { return b.Config["text"] == "some-once" }),
	}})
	require.NoError(t, err)
	def := decode(t, []byte(`{"id":"w","nodes":[
		{"id":"once","type":"test.send","config":{"text":"once"}},
		{"id":"handled","type":"test.send","config":{"text":"handled"}},
		{"id":"after","type":"test.look","config":{}},
		{"id":"retried","type":"test.send","config":{"text":"retried"},"retry":{}},
		{"id":"look","type":"test.look","config":{"text":"look"}},
		{"id":"some","type":"test.some","config":{"text":"some"}},
		{"id":"some-once","type":"test.some","config":{"text":"some-once"}}],
		"connections":[{"fromNodeId":"handled","fromPort":"$error","toNodeId":"after","toPort":"error"}]}`))
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	require.NoError(t, err)

	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{RunID: "r", Lost: func(string) bool { return true }})
	require.NoError(t, err)
	result := run.Result()
	for id, lost := range map[string]bool{"once": true, "handled": true, "some-once": true, "retried": false, "look": false, "some": false} {
		if !lost {
			require.Equal(t, engine.StatusSucceeded, result.Nodes[id].Status, id)
			require.Equal(t, map[string]any{"key": "r/" + id}, result.Nodes[id].Outputs)
			require.Equal(t, 1, calls[id], id)
			continue
		}
		require.Equal(t, node.CodeOutcomeUnknown, result.Nodes[id].Error.Code, id)
		require.Zero(t, calls[id], id)
	}
	require.True(t, result.Nodes["handled"].Handled)
	require.Equal(t, engine.StatusSucceeded, result.Nodes["after"].Status, "what handles the failure runs")
	require.Equal(t, engine.StatusFailed, result.Status)

	run, err = new(engine.Local).Run(t.Context(), plan, engine.Options{RunID: "r", Lost: func(string) bool { return false }})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, run.Status())
}
