package editor

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// lattice is a document of n nodes in rows of 40, about two wires for each.
func lattice(n int) *workflow.Definition {
	const perRow = 40
	def := &workflow.Definition{ID: "lattice"}
	name := func(i int) string { return "n" + strconv.Itoa(i) }
	for i := range n {
		at := &workflow.Position{X: float64(i%perRow) * 240, Y: float64(i/perRow) * 140}
		typ, config := "text.join", map[string]any{"delimiter": ", "}
		if i%5 == 4 {
			typ, config = "pronet.send", map[string]any{"credential": "pronet:main"}
		}
		def.Nodes = append(def.Nodes, workflow.Node{ID: name(i), Type: typ, Config: config, Position: at})
		for _, before := range []int{i - 1, i - perRow} {
			if before < 0 {
				continue
			}
			from, to := "text", "parts"
			if before%5 == 4 {
				from = "id"
			}
			if i%5 == 4 {
				to = "text"
			}
			if i%5 == 4 && before != i-1 {
				to = "to"
			}
			def.Connections = append(def.Connections, conn(name(before), from, name(i), to))
		}
	}
	return def
}

func latticeBoard(b testing.TB, n int) *Board {
	board := NewBoard(New(lattice(n), testSpecs(b)), 1280, 800)
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
			b.ReportMetric(float64(len(board.pen.items)), "items")
		})
		b.Run("all in view/"+strconv.Itoa(n), func(b *testing.B) {
			board := latticeBoard(b, n)
			board.FitAll()
			for b.Loop() {
				board.Draw()
			}
			b.ReportMetric(float64(len(board.pen.items)), "items")
		})
	}
	b.Run("dragging all/1000", func(b *testing.B) {
		board := latticeBoard(b, 1000)
		board.SelectAll()
		at := board.View.ToScreen(board.Scene().Cards[0].Rect.Center())
		board.Down(Pointer{At: at})
		for i := 0; b.Loop(); i++ {
			board.Move(Pointer{At: at.Add(Point{float64(10 + i%100), 0})})
			board.Draw()
		}
	})
	b.Run("drawing a wire, all in view/1000", func(b *testing.B) {
		board := latticeBoard(b, 1000)
		board.FitAll()
		require.True(b, board.StartWire(out("n0", "text")))
		for b.Loop() {
			board.Draw()
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	def, specs := lattice(5000), testSpecs(b)
	b.ReportAllocs()
	for b.Loop() {
		NewBoard(New(def, specs), 1280, 800).Draw()
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
		board.Move(Pointer{At: Point{float64(i % 1280), float64(i % 800)}})
	}
}

func BenchmarkLayout(b *testing.B) {
	board := latticeBoard(b, 1000)
	for b.Loop() {
		require.NoError(b, board.doc.Layout())
		board.Undo()
	}
}
