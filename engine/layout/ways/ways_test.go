package ways_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/layout/ways"
)

const reach = 10 // what boxes keep free around their cards

// card is a box with ports at the middles of its left and right edges.
func card(x, y, w, h float64) geom.Rect { return geom.RectAt(geom.Point{X: x, Y: y}, w, h).Grow(reach) }

func wire(boxes []geom.Rect, from, to int) ways.Wire {
	return ways.Wire{
		From: geom.Point{X: boxes[from].Max.X - reach, Y: boxes[from].Center().Y}, Source: from,
		To: geom.Point{X: boxes[to].Min.X + reach, Y: boxes[to].Center().Y}, Target: to,
	}
}

// drawn returns points along a wire as it is drawn.
func drawn(w ways.Wire, bends []geom.Point) []geom.Point {
	var points []geom.Point
	if len(bends) == 0 {
		curve := geom.WireCurve(w.From, w.To)
		for i := range 101 {
			points = append(points, geom.CurveAt(curve, float64(i)/100))
		}
		return points
	}
	at := w.From
	for _, next := range append(append([]geom.Point{}, bends...), w.To) {
		for i := range 51 {
			points = append(points, at.Add(next.Sub(at).Scale(float64(i)/50)))
		}
		at = next
	}
	return points
}

// requireClear requires that a wire touches no card but those at its ends, and these
// only at their ports.
func requireClear(t *testing.T, boxes []geom.Rect, w ways.Wire, bends []geom.Point) {
	t.Helper()
	at := w.From
	for _, next := range bends {
		require.True(t, at.X == next.X || at.Y == next.Y, "bends are right angles: %v", bends)
		at = next
	}
	for _, p := range drawn(w, bends) {
		for i, box := range boxes {
			inside := box.Grow(-reach)
			ends := i == w.Source && p.Sub(w.From).Length() < 1 || i == w.Target && p.Sub(w.To).Length() < 1
			if !ends && inside.Contains(p) {
				require.Fail(t, "a wire is on a card", "%v is on card %d of %v", p, i, w)
			}
		}
	}
}

func TestAWireWithNothingInItsWayHasNoBends(t *testing.T) {
	boxes := []geom.Rect{card(0, 0, 144, 66), card(300, 100, 144, 66), card(150, 300, 144, 66)}
	require.Equal(t, [][]geom.Point{nil}, ways.New(boxes, reach, []ways.Wire{wire(boxes, 0, 1)}).Bends)
}

func TestAWireGoesAroundWhatIsBetween(t *testing.T) {
	boxes := []geom.Rect{card(0, 0, 144, 66), card(600, 0, 144, 66), card(300, 0, 144, 66)}
	w := wire(boxes, 0, 1)
	bends := ways.New(boxes, reach, []ways.Wire{w}).Bends[0]
	require.Len(t, bends, 4, "up or down, past it, and back: %v", bends)
	requireClear(t, boxes, w, bends)
	require.Less(t, bends[0].X, 200.0, "it turns where it comes from, not before a port of the card between")
}

func TestAWireLeadsBack(t *testing.T) {
	boxes := []geom.Rect{card(600, 0, 144, 66), card(0, 0, 144, 66), card(300, 0, 144, 66)}
	for _, to := range []int{0, 1} { // also to the card that it comes from
		w := wire(boxes, 0, to)
		bends := ways.New(boxes, reach, []ways.Wire{w}).Bends[0]
		require.Len(t, bends, 4)
		requireClear(t, boxes, w, bends)
	}
}

func TestWiresOfDifferentPortsDoNotRunOnEachOther(t *testing.T) {
	boxes := []geom.Rect{card(0, 0, 144, 66), card(600, 0, 144, 66), card(300, 0, 144, 66)}
	other := wire(boxes, 0, 1)
	other.From.Y -= 24
	other.To.Y -= 24
	plan := ways.New(boxes, reach, []ways.Wire{wire(boxes, 0, 1), other}).Bends
	require.Len(t, plan[1], 4)
	for k := range plan[0] {
		require.NotEqual(t, plan[0][k].X, plan[1][k].X)
	}
}

func TestAWireGoesThroughNarrowGaps(t *testing.T) {
	boxes := []geom.Rect{card(0, 0, 144, 366), card(160, 0, 200, 114), card(160, 130, 200, 90), card(400, 300, 144, 66)}
	w := wire(boxes, 0, 3)
	w.From.Y = 60
	bends := ways.New(boxes, reach, []ways.Wire{w}).Bends[0]
	require.NotEmpty(t, bends)
	requireClear(t, boxes, w, bends)
}

// What cannot be led at all is drawn as if nothing were there.
func TestCardsThatLieOnEachOther(t *testing.T) {
	boxes := []geom.Rect{card(0, 0, 144, 66), card(8, 8, 144, 66), card(16, 16, 144, 66), card(-2000, -2000, 6000, 6000)}
	require.NotPanics(t, func() {
		ways.New(boxes, reach, []ways.Wire{wire(boxes, 0, 1), wire(boxes, 1, 2), wire(boxes, 2, 2), wire(boxes, 0, 3)})
	})
}

func random(cards, wires int, seed uint64) ([]geom.Rect, []ways.Wire) {
	r := rand.New(rand.NewPCG(seed, 1))
	var boxes []geom.Rect
	const columns = 20
	for i := range cards { // in a loose grid, so that there is always a way between two
		boxes = append(boxes, card(float64(i%columns*340+r.IntN(48)), float64(i/columns*260+r.IntN(64)), float64(144+8*r.IntN(15)), float64(40+8*r.IntN(16))))
	}
	led := make([]ways.Wire, wires)
	for i := range led {
		led[i] = wire(boxes, r.IntN(cards), r.IntN(cards))
	}
	return boxes, led
}

func TestWiresTouchNoForeignCard(t *testing.T) {
	for seed := range uint64(20) {
		boxes, wires := random(60, 80, seed)
		plan := ways.New(boxes, reach, wires).Bends
		require.Equal(t, plan, ways.New(boxes, reach, wires).Bends, "deterministic")
		for i, bends := range plan {
			requireClear(t, boxes, wires[i], bends)
		}
	}
}

// A level that is edited leads anew what lies near to the change, and nothing else.
func TestWhatNothingHasChangedNearToKeepsItsWay(t *testing.T) {
	for seed := range uint64(10) {
		boxes, wires := random(60, 40, seed)
		before := ways.New(boxes, reach, wires)
		now := append([]geom.Rect{}, boxes...)
		now[30] = now[30].Move(geom.Point{X: 16, Y: -24})
		led := append([]ways.Wire{}, wires...)
		for i := range led {
			led[i] = ways.Wire{From: wires[i].From, To: wires[i].To, Source: wires[i].Source, Target: wires[i].Target}
			if led[i].Source == 30 {
				led[i].From = led[i].From.Add(geom.Point{X: 16, Y: -24})
			}
			if led[i].Target == 30 {
				led[i].To = led[i].To.Add(geom.Point{X: 16, Y: -24})
			}
		}
		after := before.Again(now, reach, led)
		kept := 0
		for i, bends := range after.Bends {
			requireClear(t, now, led[i], bends)
			if len(bends) > 0 && len(before.Bends[i]) > 0 && &bends[0] == &before.Bends[i][0] {
				kept++
			}
		}
		require.NotZero(t, kept)
		require.Equal(t, ways.New(now, reach, led).Bends, (*ways.Plan)(nil).Again(now, reach, led).Bends)
	}
}

func BenchmarkAgain(b *testing.B) {
	boxes, wires := random(1000, 1250, 1)
	plan := ways.New(boxes, reach, wires)
	for b.Loop() {
		plan = plan.Again(boxes, reach, wires)
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, size := range []struct {
		name         string
		cards, wires int
	}{{"usual", 60, 80}, {"large", 1000, 1250}, {"largest", 10_000, 50_000}} {
		boxes, wires := random(size.cards, size.wires, 1)
		b.Run(size.name, func(b *testing.B) {
			for b.Loop() {
				ways.New(boxes, reach, wires)
			}
		})
	}
}
