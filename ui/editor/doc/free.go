package doc

import (
	"math"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// The gaps that what is added keeps from what is there, in dp.
const (
	freeGap = 16.0
	wireGap = 48.0 // along a wire: as the layout leaves it
)

// FreePlace returns the top left corner that a node of a type gets when it is added at a
// place: there, or as near as it lies on no other node and on no note.
func (d *Document) FreePlace(typ string, at geom.Point) geom.Point {
	extent := d.Ghost(typ).Extent()
	return d.free(extent.Move(at), nil).Sub(extent.Min)
}

// free returns where the top left corner of a rectangle goes, so that it lies on nothing:
// as near to where it is as can be. Nodes that leave says are not in the way.
func (d *Document) free(r geom.Rect, leave map[string]bool) geom.Point {
	taken, lying := d.obstacles(leave)
	blocked := func(r geom.Rect) (is bool) {
		lying.Within(r.Grow(freeGap-cards.PortReach), func(int) { is = true })
		return is
	}
	if !blocked(r) {
		return r.Min
	}
	const farthest = 400 // steps
	for ring := 1; ring <= farthest; ring++ {
		best, at := math.Inf(1), geom.Point{}
		eachOnRing(ring, func(x, y float64) {
			by := geom.Point{X: x, Y: y}.Scale(2 * geom.Pitch)
			if far := by.Length(); far < best && !blocked(r.Move(by)) {
				best, at = far, r.Min.Add(by)
			}
		})
		if !math.IsInf(best, 1) {
			return at
		}
	}
	return geom.Point{X: r.Min.X, Y: taken.Max.Y + freeGap}
}

// eachOnRing calls f for the places of a square ring around the origin, in steps: right of
// it and below it first.
func eachOnRing(ring int, f func(x, y float64)) {
	n := float64(ring)
	for k := -ring; k <= ring; k++ {
		f(n, float64(k))
		f(float64(k), n)
	}
	for k := -ring; k <= ring; k++ {
		f(-n, float64(k))
		f(float64(k), -n)
	}
}

// obstacles returns what lies on the level, with what is shown there when it runs, and the
// rectangle around it.
func (d *Document) obstacles(leave map[string]bool) (around geom.Rect, lying geom.Index) {
	var boxes []geom.Rect
	all := d.Cards()
	for i := range all {
		if !leave[all[i].Node.ID] {
			boxes = append(boxes, all[i].Extent())
			if pane := all[i].Below(); !pane.Empty() {
				boxes = append(boxes, pane)
			}
		}
	}
	for _, n := range d.Stickies() {
		boxes = append(boxes, n.Rect)
	}
	lying = geom.NewIndex(len(boxes))
	for i, box := range boxes {
		lying.Add(i, box)
		around = around.Union(box)
	}
	return around, lying
}

// Insertion is what putting a node into a wire takes: where its top left corner goes, and how
// far that to the right of the wire moves, from which place on.
type Insertion struct {
	At   geom.Point
	From float64
	By   float64
}

// RoomIn returns the room that a node with that extent and corner takes in a wire. It goes
// behind the node that the wire comes from. Where too little is left to the one it leads to,
// all that lies there and to the right of it makes room, and up or down it goes to where it
// lies on nothing. leave is the node itself, if it is there already.
func (d *Document) RoomIn(wire workflow.Connection, extent geom.Rect, corner geom.Point, leave string) Insertion {
	room := Insertion{At: corner}
	source, ok := d.Card(wire.FromNodeID)
	target, also := d.Card(wire.ToNodeID)
	left := map[string]bool{leave: true}
	if !ok || !also {
		return room
	}
	forward := target.Rect.Min.X >= source.Rect.Max.X
	if forward {
		room.From = target.Rect.Min.X
		if least := source.Rect.Max.X + wireGap; extent.Min.X < least {
			room.At.X = math.Ceil((corner.X+least-extent.Min.X)/geom.Pitch) * geom.Pitch
		}
		extent = extent.Move(geom.Point{X: room.At.X - corner.X})
		if missing := extent.Max.X + wireGap - target.Rect.Min.X; missing > 0 {
			room.By = math.Ceil(missing/geom.Pitch) * geom.Pitch
		}
		for i := range d.Cards() {
			if c := &d.Cards()[i]; c.Rect.Min.X >= room.From {
				left[c.Node.ID] = left[c.Node.ID] || room.By > 0 // it moves away
			}
		}
	}
	_, lying := d.obstacles(left)
	const most = 400 // steps
	for k := range most {
		step := float64((k+1)/2) * geom.Pitch
		if k%2 == 0 {
			step = -step
		}
		blocked := false
		lying.Within(extent.Move(geom.Point{Y: step}), func(int) { blocked = true })
		if !blocked {
			room.At.Y += step
			break
		}
	}
	return room
}

// make moves what lies to the right of a place out of the way, but for one node.
func (c *change) makeRoom(room Insertion, but string) {
	if room.By == 0 {
		return
	}
	var s Set
	for i := range c.Cards() {
		if card := &c.Cards()[i]; card.Rect.Min.X >= room.From && card.Node.ID != but {
			s.Nodes = append(s.Nodes, card.Node.ID)
		}
	}
	for _, n := range c.Stickies() {
		if n.Rect.Min.X >= room.From {
			s.Notes = append(s.Notes, n.ID)
		}
	}
	c.move(s, geom.Point{X: room.By})
}
