package doc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// TestNudgesAreOneEditForEachNode holds what the history keeps of keys that repeat.
func TestNudgesAreOneEditForEachNode(t *testing.T) {
	d := New(&workflow.Definition{ID: "two", Nodes: []workflow.Node{{ID: "a"}, {ID: "b"}}}, NewSpecs(nil, nil))
	require.NoError(t, d.Move(Set{Nodes: []string{"a"}}, geom.Point{X: 8, Y: 8}))
	for range 5 {
		require.NoError(t, d.Nudge(Set{Nodes: []string{"a", "b"}}, geom.Point{X: 8, Y: 0}))
	}
	require.Len(t, d.history.done, 2)
	require.Len(t, d.history.done[1].edits, 2, "however often they moved")
}
