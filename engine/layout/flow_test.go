package layout

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
)

// flowOf is a flow of n equal boxes.
func flowOf(n int, edges ...[2]int) *Graph {
	f := &Graph{Boxes: slices.Repeat([]geom.Point{{X: 96, Y: 48}}, n)}
	for _, e := range edges {
		f.Wires = append(f.Wires, Wire{e[0], e[1], 24, 24})
	}
	return f
}

// randomFlow is a flow of n boxes whose wires lead from earlier ones to later ones.
func randomFlow(n, wires int, seed uint64) *Graph {
	const near = 60
	r := rand.New(rand.NewPCG(seed, 0))
	f := &Graph{}
	for range n {
		f.Boxes = append(f.Boxes, geom.Point{X: geom.Pitch * float64(10+r.IntN(25)), Y: geom.Pitch * float64(6+r.IntN(20))})
	}
	for range wires {
		from, to := r.IntN(n), 0
		if to = from + 1 + r.IntN(near); to < n {
			f.Wires = append(f.Wires, Wire{from, to, 24, float64(24 * (1 + r.IntN(3)))})
		}
	}
	return f
}

func TestArrangeLeavesGaps(t *testing.T) {
	for seed := range uint64(60) {
		n := 2 + int(seed)*3
		f := randomFlow(n, n*int(seed%5)/3, seed)
		places, size := f.arrange()
		again, _ := f.arrange()
		require.Equal(t, places, again, "deterministic")
		for v, at := range places {
			require.Equal(t, at.Snap(geom.Pitch), at, "on the grid")
			box := geom.RectAt(at, f.Boxes[v].X, f.Boxes[v].Y)
			require.True(t, at.X >= 0 && at.Y >= 0 && box.Max.X <= size.X && box.Max.Y <= size.Y, "within the size")
			for w := range v {
				other := geom.RectAt(places[w], f.Boxes[w].X, f.Boxes[w].Y)
				require.False(t, box.Grow(NodeGap/2-1).Overlaps(other.Grow(NodeGap/2-1)), "%d and %d of %d", v, w, seed)
			}
		}
		for _, w := range f.Wires {
			require.LessOrEqual(t, places[w.From].X+f.Boxes[w.From].X+layerGap, places[w.To].X, "%v of %d leads to the right", w, seed)
		}
	}
}

func TestArrangeTakesCycles(t *testing.T) {
	places, _ := flowOf(5, [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 2}, {3, 3}}...).arrange()
	require.Less(t, places[0].X, places[1].X, "as if the wire that closes the cycle were not there")
	require.Less(t, places[1].X, places[2].X)
	require.Less(t, places[2].X, places[3].X)
	slices.SortFunc(places, func(a, b geom.Point) int { return int(a.X-b.X)*10 + int(a.Y-b.Y) })
	require.Len(t, slices.Compact(places), 5, "each has a place of its own")
}

func TestArrangeFillsAWindow(t *testing.T) {
	for _, n := range []int{30, 100, 300} {
		_, size := randomFlow(n, n/3, uint64(n)).arrange()
		require.InDelta(t, windowShape, size.X/size.Y, 0.4, "%d boxes in many parts", n)
		_, size = flowOf(n).arrange()
		require.InDelta(t, windowShape, size.X/size.Y, 0.4, "%d boxes without wires", n)
	}
}

func TestLayersAreNearToWhatIsWired(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		edges [][2]int
		want  []int
	}{
		{"a chain", 3, [][2]int{{0, 1}, {1, 2}}, []int{0, 1, 2}},
		{"a source right before its consumer", 4, [][2]int{{0, 1}, {1, 2}, {3, 2}}, []int{0, 1, 2, 1}},
		{"a chain of them", 6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 3}}, []int{0, 1, 2, 3, 1, 2}},
		{"before the first of its consumers", 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 2}, {4, 3}}, []int{0, 1, 2, 3, 1}},
		{"an end right behind what feeds it", 4, [][2]int{{0, 1}, {1, 2}, {0, 3}}, []int{0, 1, 2, 1}},
		{"one that feeds more than feed it", 5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 4}, {4, 3}, {4, 3}}, []int{0, 1, 2, 3, 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, layersOf(test.n, flowOf(test.n, test.edges...).Wires))
		})
	}
}

func TestWiresDoNotCrossWithoutNeed(t *testing.T) {
	// Two ladders whose vertices come mixed, and a wire past them all.
	l := newLayering(flowOf(9, [][2]int{{8, 7}, {0, 3}, {1, 2}, {3, 4}, {2, 5}, {4, 7}, {5, 6}, {0, 2}, {8, 0}, {8, 1}}...))
	l.order()
	require.Zero(t, l.crossings())
}

func TestInversions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 40 {
		all, want := make([]float64, n), 0
		for i := range all {
			all[i] = float64(r.IntN(n))
			for _, before := range all[:i] {
				if before > all[i] {
					want++
				}
			}
		}
		require.Equal(t, want, inversions(all, make([]float64, n)))
		require.True(t, slices.IsSorted(all))
	}
}

func TestWiresAreStraightWhereTheyCanBe(t *testing.T) {
	f := flowOf(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}...)
	f.Boxes[2].Y, f.Wires[1].Arrive, f.Wires[2].Leave = 160, 120, 144
	places, _ := f.arrange()
	for _, w := range f.Wires {
		require.InDelta(t, places[w.From].Y+w.Leave, places[w.To].Y+w.Arrive, 0, "%v", w)
	}
	f = flowOf(6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 2}, {2, 5}}...)
	f.Wires[3].Leave, f.Wires[3].Arrive = 40, 40
	places, _ = f.arrange()
	require.InDelta(t, places[0].Y, places[3].Y, 0, "one that leads past others comes first")
}

func BenchmarkArrange(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		chain := flowOf(n)
		for v := range n - 1 {
			chain.Wires = append(chain.Wires, Wire{v, v + 1, 24, 24})
		}
		for _, f := range []struct {
			name string
			*Graph
		}{{"dense", randomFlow(n, n*5/4, 1)}, {"sparse", randomFlow(n, n*3/4, 1)}, {"chain", chain}, {"no wires", flowOf(n)}} {
			b.Run(f.name+"/"+strconv.Itoa(n), func(b *testing.B) {
				for b.Loop() {
					f.arrange()
				}
			})
		}
	}
}
