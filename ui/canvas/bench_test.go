package canvas_test

import (
	"testing"

	"fyne.io/fyne/v2"
	fynecanvas "fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/theme"
)

// objects counts the primitives on the screen.
func objects(h *driver) int { return len(test.WidgetRenderer(h.Canvas).Objects()) }

// A frame costs what it shows, not what there is.
func TestOnlyVisiblePartsAreOnTheScreen(t *testing.T) {
	few, many := show(t, theme.Dark, lattice(t, 200), 1280, 800), show(t, theme.Dark, lattice(t, 1000), 1280, 800)
	require.Less(t, objects(many), 1500)
	require.Less(t, objects(many), 2*objects(few))
	many.Board().FitAll()
	many.Update()
	require.Less(t, objects(many), 8000, "far away, a node is one shape and a wire few lines")
}

// Most of a long wire may be out of view, though its middle is in it.
func TestLinesOutOfViewAreNotOnTheScreen(t *testing.T) {
	h := show(t, theme.Dark, lattice(t, 200), 400, 300)
	h.Board().View.PanBy(geom.Point{X: -1000, Y: -100})
	h.Update()
	seen := 0
	for _, o := range test.WidgetRenderer(h.Canvas).Objects() {
		l, ok := o.(*fynecanvas.Line)
		if !ok {
			continue
		}
		seen++
		low, high := fyne.Min(l.Position1.X, l.Position2.X), fyne.Max(l.Position1.X, l.Position2.X)
		require.Less(t, low, float32(410))
		require.Greater(t, high, float32(-10))
		low, high = fyne.Min(l.Position1.Y, l.Position2.Y), fyne.Max(l.Position1.Y, l.Position2.Y)
		require.Less(t, low, float32(310))
		require.Greater(t, high, float32(-10))
	}
	require.Greater(t, seen, 40)
}

// Fyne lays out what has other texts in it than before: with each frame.
func TestARepeatedLayoutDrawsNothing(t *testing.T) {
	h := show(t, theme.Dark, lattice(t, 200), 1280, 800)
	r := test.WidgetRenderer(h.Canvas)
	before := len(r.Objects())
	h.Board().FitAll()
	r.Layout(h.Size())
	require.Len(t, r.Objects(), before)
	r.Layout(h.Size().AddWidthHeight(-100, 0))
	require.NotEqual(t, before, len(r.Objects()))
}

// Primitives are used again: what was on the screen once costs no memory later.
func TestPicturesShareTheirPrimitives(t *testing.T) {
	h := show(t, theme.Dark, lattice(t, 1000), 1280, 800)
	pan := func() {
		h.Board().View.PanBy(geom.Point{X: -3, Y: -2})
		h.Update()
	}
	pan()
	require.Less(t, testing.AllocsPerRun(20, pan), 100.0)
}

func BenchmarkFrame(b *testing.B) {
	pan := func(h *driver) {
		h.Board().View.PanBy(geom.Point{X: -1})
		h.Update()
	}
	frame := func(zoom func(*driver), step func(*driver)) func(*testing.B) {
		return func(b *testing.B) {
			h := show(b, theme.Dark, lattice(b, 1000), 1280, 800)
			zoom(h)
			h.Update()
			back := h.Board().View
			for b.Loop() {
				step(h)
				if h.Board().View.Pan.X < back.Pan.X-100 {
					h.Board().View = back
				}
			}
			b.ReportMetric(float64(objects(h)), "objects")
		}
	}
	b.Run("pan at 100 %", frame(func(*driver) {}, pan))
	b.Run("pan, all in view", frame(func(h *driver) { h.Board().FitAll() }, pan))
	b.Run("zoom", frame(func(*driver) {}, func(h *driver) {
		for _, dy := range []float32{10, -10} {
			h.Scrolled(&fyne.ScrollEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(640, 400)}, Scrolled: fyne.Delta{DY: dy}})
		}
	}))
	b.Run("drag", func(b *testing.B) {
		h := show(b, theme.Dark, lattice(b, 1000), 1280, 800)
		at := h.middle(b, "n0")
		h.press(at, 1, 0)
		for i := 0; b.Loop(); i++ {
			h.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at.AddXY(float32(i%100)+10, 40)}})
		}
	})
}
