package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

const said = 60 // the height of messages, in pixels

func requireSeen(t *testing.T, b *Board, r geom.Rect) {
	t.Helper()
	low, high := b.View.ToScreen(r.Min), b.View.ToScreen(r.Max)
	require.GreaterOrEqual(t, low.Y, float64(said), "it begins below")
	require.LessOrEqual(t, high.Y, b.View.Size.Y)
	require.LessOrEqual(t, high.X, b.View.Size.X)
}

func TestTheDocumentKeepsClearOfMessages(t *testing.T) {
	for name, look := range map[string]func(b *Board){
		"untouched":        func(*Board) {},
		"all of it":        func(b *Board) { b.FitAll() },
		"a run is on it":   func(b *Board) { b.Run = &fold.State{} },
		"just in view":     func(b *Board) { b.View.PanBy(geom.Point{Y: 5 - b.View.ToScreen(b.Scene().Bounds.Min).Y}) },
		"as high as seen":  func(b *Board) { b.Resize(geom.Point{X: 900, Y: 340}); b.FitAll(); b.View.PanBy(geom.Point{X: 1}) },
		"scrolled by hand": func(b *Board) { b.View.PanBy(geom.Point{X: 3, Y: 1}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := New(editortest.Open(t, editortest.Greet), 900, 400)
			look(b)
			b.Cover(said)
			requireSeen(t, b, b.Scene().Bounds)
			b.FitAll()
			requireSeen(t, b, b.Scene().Bounds)
			b.View.Begin(b.Scene().Bounds)
			require.GreaterOrEqual(t, b.View.ToScreen(b.Scene().Bounds.Min).Y, float64(said))
			card, _ := b.Scene().Card("fmt")
			b.View.PanBy(geom.Point{Y: -b.View.ToScreen(card.Rect.Min).Y})
			require.True(t, b.Show("fmt"))
			requireSeen(t, b, card.Extent())
		})
	}
}

// A view that the user has moved stays: messages only keep clear of the upper edge of the
// document.
func TestAMessageDoesNotMoveAScrolledView(t *testing.T) {
	b := New(editortest.Open(t, editortest.Greet), 900, 400)
	b.View.ZoomTo(2, geom.Point{})
	b.View.PanBy(geom.Point{Y: -10 - b.View.ToScreen(b.Scene().Bounds.Min).Y})
	before := b.View
	b.Cover(said)
	require.Equal(t, before.Pan, b.View.Pan)
	require.InDelta(t, 2, b.View.Zoom, 0)
	b.Cover(0)
	require.Equal(t, before, b.View)
}

// Nothing that is gone is out of sight when all is shown.
func TestAllThatIsComparedIsShown(t *testing.T) {
	b := New(editortest.Open(t, editortest.Greet), 900, 400)
	far := *b.doc.Definition()
	far.Nodes = append(far.Nodes, workflow.Node{ID: "far", Type: "text.length", Position: &workflow.Position{X: 3000, Y: -2000}})
	b.Compare(&far, "before")
	b.Cover(said)
	b.FitAll()
	requireSeen(t, b, b.compared().GoneBounds())
}
