package board

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func latticeBoard(b testing.TB, n int) *Board {
	board := New(doc.New(editortest.Lattice(n), editortest.Specs(b)), 1280, 800)
	board.View.Begin(board.doc.Bounds())
	require.Len(b, board.Scene().Wires, len(board.doc.Connections()))
	return board
}

func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{1000, 5000} {
		b.Run("at 100 %/"+strconv.Itoa(n), func(b *testing.B) {
			board := latticeBoard(b, n)
			for b.Loop() {
				board.Draw()
			}
			b.ReportMetric(float64(len(board.Draw())), "items")
		})
		b.Run("all in view/"+strconv.Itoa(n), func(b *testing.B) {
			board := latticeBoard(b, n)
			board.FitAll()
			for b.Loop() {
				board.Draw()
			}
			b.ReportMetric(float64(len(board.Draw())), "items")
		})
	}
	b.Run("dragging all/1000", func(b *testing.B) {
		board := latticeBoard(b, 1000)
		board.SelectAll()
		at := board.View.ToScreen(board.Scene().Cards[0].Rect.Center())
		board.Down(Pointer{At: at})
		for i := 0; b.Loop(); i++ {
			board.Move(Pointer{At: at.Add(geom.Point{X: float64(10 + i%100), Y: 0})})
			board.Draw()
		}
	})
	b.Run("drawing a wire, all in view/1000", func(b *testing.B) {
		board := latticeBoard(b, 1000)
		board.FitAll()
		require.True(b, board.StartWire(editortest.Out("n0", "text")))
		for b.Loop() {
			board.Draw()
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	def, specs := editortest.Lattice(5000), editortest.Specs(b)
	b.ReportAllocs()
	for b.Loop() {
		New(doc.New(def, specs), 1280, 800).Draw()
	}
}

// BenchmarkType is what a letter typed into a field costs before it is drawn.
func BenchmarkType(b *testing.B) {
	board := latticeBoard(b, 1000)
	for i := 0; b.Loop(); i++ {
		require.NoError(b, board.doc.SetConfig("n500", "delimiter", strconv.Itoa(i)))
		board.Scene()
	}
}

func BenchmarkHit(b *testing.B) {
	board := latticeBoard(b, 5000)
	for i := 0; b.Loop(); i++ {
		board.Move(Pointer{At: geom.Point{X: float64(i % 1280), Y: float64(i % 800)}})
	}
}

func BenchmarkLayout(b *testing.B) {
	board := latticeBoard(b, 1000)
	for b.Loop() {
		require.NoError(b, board.doc.Layout())
		board.Undo()
	}
}
