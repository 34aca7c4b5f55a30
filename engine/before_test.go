package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// TestTheHostIsAskedBeforeEachNode makes a run wait before nodes, and ends it there.
func TestTheHostIsAskedBeforeEachNode(t *testing.T) {
	type text struct {
		Text string `port:"text" default:"" doc:"The text."`
	}
	var called []string
	registry, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{
		node.Func("test.note", "Note", func(_ context.Context, in text) (text, error) {
			called = append(called, in.Text)
			return in, nil
		}),
	}})
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), decode(t, []byte(`{"id":"w","nodes":[
		{"id":"a","type":"test.note","config":{"text":"a"}},{"id":"b","type":"test.note"},{"id":"c","type":"test.note"}],
		"connections":[{"fromNodeId":"a","fromPort":"text","toNodeId":"b","toPort":"text"},{"fromNodeId":"b","fromPort":"text","toNodeId":"c","toPort":"text"}]}`)),
		engine.Env{Registry: registry})
	require.NoError(t, err)

	var asked []string
	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{
		Before: func(_ context.Context, path string) {
			require.Len(t, called, len(asked), "it has not been called yet")
			asked = append(asked, path)
		},
		Pins: map[string]engine.Pin{},
	})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, run.Status())
	require.Equal(t, []string{"a", "b", "c"}, asked)
	require.Equal(t, []string{"a", "a", "a"}, called)

	ctx, cancel := context.WithCancel(t.Context())
	called, asked = nil, nil
	run, err = new(engine.Local).Run(ctx, plan, engine.Options{Before: func(ctx context.Context, path string) {
		if asked = append(asked, path); slices.Contains(asked, "b") {
			cancel()
			<-ctx.Done()
		}
	}})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCancelled, run.Status())
	require.Equal(t, []string{"a", "b"}, asked)
	require.Equal(t, []string{"a"}, called, "b never starts")
	require.Equal(t, engine.StatusCancelled, run.Result().Nodes["b"].Status)
}
