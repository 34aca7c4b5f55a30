package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

type overrides = map[string]map[string]any

func TestOverride(t *testing.T) {
	d, err := decode(greet)
	require.NoError(t, err)

	got, err := workflow.Override(d, overrides{
		"who":  {"default": "Ada", "extra": 1},
		"each": {"concurrency": 2},
		"fmt":  {},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"name": "who", "default": "Ada", "extra": 1}, got.Nodes[0].Config)
	require.Equal(t, map[string]any{"template": "Hello, {name}!"}, got.Nodes[1].Config)
	require.Equal(t, map[string]any{"concurrency": 2}, got.Nodes[2].Config)
	require.Equal(t, greet, string(d.AppendJSON(nil)), "the original stays as it was")

	got, err = workflow.Override(d, nil)
	require.NoError(t, err)
	require.Same(t, d, got)
}

func TestOverrideErrors(t *testing.T) {
	d, err := decode(greet)
	require.NoError(t, err)
	for _, c := range []struct {
		in   overrides
		want workflow.OverrideError
		text string
	}{
		{
			overrides{"fmt": {"name": "Ada"}},
			workflow.OverrideError{NodeID: "fmt", Port: "name", Reason: "a wire feeds it; remove the wire or the override"},
			`override of port "name" of node "fmt": a wire feeds it; remove the wire or the override`,
		},
		{
			overrides{"z": {"x": 1}, "nobody": {"x": 1}, "who": {"default": 1}},
			workflow.OverrideError{NodeID: "nobody", Reason: "the workflow has no such node"},
			`override of node "nobody": the workflow has no such node`,
		},
	} {
		_, err := workflow.Override(d, c.in)
		var e *workflow.OverrideError
		require.ErrorAs(t, err, &e)
		require.Equal(t, c.want, *e)
		require.EqualError(t, err, c.text)
	}
	require.Equal(t, greet, string(d.AppendJSON(nil)))
}
