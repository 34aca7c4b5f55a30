package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// TestRetryAfter checks that a requested delay takes precedence over the pauses of the
// node, and that there is no retry if it exceeds the node's timeout.
func TestRetryAfter(t *testing.T) {
	for name, test := range map[string]struct {
		asks     time.Duration
		attempts int
		least    time.Duration
		most     time.Duration
	}{
		"says nothing":             {0, 2, time.Second, 4 * time.Second},
		"longer than the pause":    {9 * time.Second, 2, 9 * time.Second, 9900 * time.Millisecond},
		"shorter than the pause":   {100 * time.Millisecond, 2, 100 * time.Millisecond, 110 * time.Millisecond},
		"longer than the node has": {10*time.Second + 1, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				type nothing struct{}
				busy := func(context.Context, nothing) (nothing, error) {
					if calls++; calls > 1 {
						return nothing{}, nil
					}
					return nothing{}, &node.Error{Code: node.CodeRateLimited, Message: "busy", RetryAfter: test.asks}
				}
				p := compiled(t, node.Func("test.busy", "Busy", busy), &workflow.Definition{ID: "w", Nodes: []workflow.Node{{
					ID: "n", Type: "test.busy", TimeoutMs: 10_000, Retry: &workflow.Retry{InitialMs: 4000},
				}}})
				began := time.Now()
				_, err := new(engine.Local).Run(t.Context(), p, engine.Options{})
				require.NoError(t, err)
				require.Equal(t, test.attempts, calls)
				require.GreaterOrEqual(t, time.Since(began), test.least)
				require.LessOrEqual(t, time.Since(began), test.most)
			})
		})
	}
}

// TestWiredOutput checks that a node knows which of its outputs are wired, and may leave
// one out.
func TestWiredOutput(t *testing.T) {
	type in struct {
		Value *string `port:"value,optional" doc:"Anything."`
	}
	type out struct {
		A *string `port:"a,optional" doc:"Comes if b is not read."`
		B string  `port:"b" doc:"Always comes."`
	}
	prepare := func(b node.Binding) (func(context.Context, in) (out, error), []node.Problem) {
		return func(context.Context, in) (out, error) {
			if b.WiredOutput("b") {
				return out{B: "b"}, nil
			}
			a := "a"
			return out{A: &a, B: "b"}, nil
		}, nil
	}
	made := node.FuncFor("test.two", "Two", prepare)
	require.Equal(t, "string", made.Spec.Outputs[0].Type.String())
	require.True(t, made.Spec.Outputs[0].Optional)
	p := compiled(t, made, &workflow.Definition{
		ID: "w",
		Nodes: []workflow.Node{
			{ID: "read", Type: "test.two"}, {ID: "last", Type: "test.two"}, {ID: "skipped", Type: "test.two"},
		},
		Connections: []workflow.Connection{
			{FromNodeID: "read", FromPort: "b", ToNodeID: "last", ToPort: "value"},
			{FromNodeID: "read", FromPort: "a", ToNodeID: "skipped", ToPort: "value"},
		},
	})
	run, err := new(engine.Local).Run(t.Context(), p, engine.Options{})
	require.NoError(t, err)
	nodes := run.Result().Nodes
	require.Equal(t, map[string]any{"b": "b"}, nodes["read"].Outputs)
	require.Equal(t, map[string]any{"a": "a", "b": "b"}, nodes["last"].Outputs)
	require.Equal(t, engine.StatusSkipped, nodes["skipped"].Status)
}

func compiled(t *testing.T, n node.Node, def *workflow.Definition) *engine.Plan {
	t.Helper()
	registry, err := node.NewRegistry(node.Bundle{Name: "test", Nodes: []node.Node{n}})
	require.NoError(t, err)
	p, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	require.NoError(t, err)
	return p
}
