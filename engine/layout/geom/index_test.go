package geom

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGridFindsAll compares the grid with looking at everything.
func TestGridFindsAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	box := func(size float64) Rect {
		return RectAt(Point{random.Float64()*20000 - 10000, random.Float64()*20000 - 10000}, random.Float64()*size, random.Float64()*size)
	}
	g := NewIndex(500)
	for i := range 500 {
		g.Add(i, box([]float64{50, 600, 9000}[i%3]))
	}
	for range 300 {
		r := box(3000)
		found := map[int]int{}
		g.Within(r, func(i int) { found[i]++ })
		for i, b := range g.boxes {
			want := 0
			if b.Overlaps(r) {
				want = 1
			}
			require.Equal(t, want, found[i], "%v in %v", b, r)
		}
	}
}
