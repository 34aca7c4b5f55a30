package doc

import (
	"math"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// The gaps between added parts and others, in dp.
const (
	freeGap = 16.0
	wireGap = 48.0 // along a wire, as in the layout
)

// FreePlace returns the top left corner of a new node of a type: the given point, or the
// nearest where it covers no other node or note.
func (d *Document) FreePlace(typ string, at geom.Point) geom.Point {
	extent := d.Ghost(typ).Extent()
	return d.free(extent.Move(at), nil).Sub(extent.Min)
}

// free returns the nearest top left corner where a rectangle covers nothing. Nodes in leave
// are ignored.
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

// eachOnRing calls f for the points of a square ring around the origin, in steps: right and
// below first.
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

// obstacles returns everything on the level, including the values that nodes show when they
// run, and the bounds of it all.
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

// Insertion is the geometry of inserting a node into a wire: its top left corner, and by how
// much everything to the right of From moves.
type Insertion struct {
	At   geom.Point
	From float64
	By   float64
}

// RoomIn returns how a node with that extent and corner is inserted into a wire. It goes to
// the right of the wire's source. If there is too little room before the target, everything
// from there on moves right; vertically the node moves to a free position. leave is the id of
// the node itself, if it is on the level already.
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

// makeRoom moves everything to the right of an insertion out of the way, except one node.
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
