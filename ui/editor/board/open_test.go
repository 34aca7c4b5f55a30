package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// row has two nodes that are so far apart.
func row(t *testing.T, apart float64) *doc.Document {
	t.Helper()
	d := editortest.Open(t, editortest.Greet)
	require.NoError(t, d.Delete(doc.Set{Nodes: []string{"fmt"}, Notes: []string{"n1"}}))
	require.NoError(t, d.Move(doc.Set{Nodes: []string{"out"}}, geom.Point{X: apart - d.Bounds().W()}))
	require.InDelta(t, apart, d.Bounds().W(), 1)
	return d
}

func TestAWorkflowFitsTheViewWhenItOpens(t *testing.T) {
	for apart, zoom := range map[float64]float64{
		900: 1, 1220: 1, 1600: (1280 - 96) / 1600.0, 2450: 0.5, 4000: (1280 - 96) / 4000.0, 60_000: 1,
	} {
		b := New(row(t, apart), 1280, 800)
		require.InDelta(t, zoom, b.View.Zoom, 0.005, "%v wide", apart)
		seen, all := b.View.Visible(), b.Document().Bounds()
		require.True(t, seen.Contains(all.Min), "%v wide", apart)
		require.Equal(t, apart < 60_000, seen.Contains(all.Max), "%v wide", apart)
	}
}

func TestANewViewFollowsTheSizeUntilTheUserMovesIt(t *testing.T) {
	whole := func(b *Board) bool {
		seen, all := b.View.Visible(), b.Document().Bounds()
		return seen.Contains(all.Min) && seen.Contains(all.Max)
	}
	b := New(row(t, 1600), 1, 1) // until it is known how large the window is
	b.Resize(geom.Point{X: 1280, Y: 800})
	require.True(t, whole(b))
	b.Resize(geom.Point{X: 900, Y: 800})
	require.True(t, whole(b))
	b.Run = &fold.State{}
	before := b.View.Zoom
	b.Resize(geom.Point{X: 900, Y: 500})
	require.InDelta(t, before, b.View.Zoom, 0, "of a run, nothing moves by itself")
	b.Run = nil
	b.Open()
	b.View.PanBy(geom.Point{X: 10})
	looked := b.View
	b.Resize(geom.Point{X: 500, Y: 500})
	looked.Size = geom.Point{X: 500, Y: 500}
	require.Equal(t, looked, b.View)
	b = New(doc.New(&workflow.Definition{ID: "new"}, editortest.Specs(t)), 0, 0)
	b.Resize(geom.Point{X: 500, Y: 500})
	require.InDelta(t, 1, b.View.Zoom, 0)
}
