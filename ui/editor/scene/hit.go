package scene

import (
	"math"
	"slices"

	"github.com/svcflow/svc/engine/layout"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// HitKind is the kind of part at a point.
type HitKind uint8

// The kinds of parts.
const (
	HitNothing HitKind = iota
	HitPort
	HitNode
	HitWire
	HitNote
	HitNoteCorner // the corner that resizes a note
	HitGroup      // its label or edge; the inside of a group is empty canvas
	HitCardCorner // the corner that resizes a card
	HitPoint      // a point that the user has routed a wire through
	HitAction     // the action of a card's value
)

// Hit is the part at a point.
type Hit struct {
	Kind HitKind
	ID   string // of the node, note or group
	Port cards.PortRef
	Wire workflow.Connection
	At   int // the number of the wire's point
}

// Point returns the point of a wire that was hit.
func (h Hit) Point() doc.Point { return doc.Point{Wire: h.Wire, At: h.At} }

// Hit returns the part at p. zoom is that of the view: parts that are drawn small can be hit
// from the same distance on the screen as others.
func (s *Scene) Hit(p geom.Point, zoom float64) Hit {
	if a := s.PortAt(p, cards.PortReach*max(1, min(1/zoom, 2)), nil); a != nil {
		return Hit{Kind: HitPort, ID: a.Node, Port: a.PortRef}
	}
	if i := s.CardAt(p); i >= 0 {
		if grip := s.Cards[i].Grip(); !grip.Empty() && grip.Contains(p) {
			return Hit{Kind: HitCardCorner, ID: s.Cards[i].Node.ID}
		}
		return Hit{Kind: HitNode, ID: s.Cards[i].Node.ID}
	}
	for _, n := range slices.Backward(s.Notes) {
		if n.Rect.Contains(p) {
			corner := geom.Rect{Min: geom.Point{X: n.Rect.Max.X - cards.NoteGrip, Y: n.Rect.Max.Y - cards.NoteGrip}, Max: n.Rect.Max}
			if corner.Contains(p) {
				return Hit{Kind: HitNoteCorner, ID: n.ID}
			}
			return Hit{Kind: HitNote, ID: n.ID}
		}
	}
	if hit, ok := s.pointAt(p, zoom); ok {
		return hit
	}
	if i := s.WireAt(p, zoom, nil); i >= 0 {
		return Hit{Kind: HitWire, Wire: s.Wires[i].Connection}
	}
	return s.groupAt(p, zoom, nil)
}

// PortAt returns the port nearest to p within reach that ok allows, or nil.
func (s *Scene) PortAt(p geom.Point, reach float64, ok func(*cards.Anchor) bool) *cards.Anchor {
	var nearest *cards.Anchor
	s.cells.Within(geom.RectBetween(p, p).Grow(reach), func(i int) {
		for k := range s.Cards[i].Ports {
			a := &s.Cards[i].Ports[k]
			if a.Fixed() || ok != nil && !ok(a) {
				continue
			}
			if far := a.At.Sub(p).Length(); far <= reach {
				nearest, reach = a, far
			}
		}
		for k := range s.Cards[i].Controls {
			a := &s.Cards[i].Controls[k]
			if far := a.At.Sub(p).Length(); far < min(reach, cards.ControlReach) && (ok == nil || ok(a)) {
				nearest, reach = a, far
			}
		}
	})
	return nearest
}

// CardAt returns the topmost card at p, or -1.
func (s *Scene) CardAt(p geom.Point) int {
	top := -1
	s.cells.Within(geom.RectBetween(p, p), func(i int) {
		c := &s.Cards[i]
		inside := c.Rect.Contains(p)
		if c.Circle {
			inside = p.Sub(c.Rect.Center()).Length() <= cards.CircleSize/2
		}
		if inside {
			top = max(top, i)
		}
	})
	return top
}

// WireAt returns the wire nearest to p that ok allows, or -1.
func (s *Scene) WireAt(p geom.Point, zoom float64, ok func(*Wire) bool) int {
	const pixels = 7
	reach, nearest := pixels/zoom, -1
	s.lines.Within(geom.RectBetween(p, p).Grow(reach), func(i int) {
		if ok != nil && !ok(&s.Wires[i]) {
			return
		}
		if far := s.Wires[i].Way.distance(p); far <= reach {
			nearest, reach = i, far
		}
	})
	return nearest
}

// pointAt finds the wire's point nearest to p.
func (s *Scene) pointAt(p geom.Point, zoom float64) (hit Hit, found bool) {
	const pixels = 9
	reach := pixels / zoom
	s.lines.Within(geom.RectBetween(p, p).Grow(reach), func(i int) {
		for k, at := range Via(s.Wires[i].Connection) {
			if far := geom.Point(at).Sub(p).Length(); far <= reach {
				hit, found, reach = Hit{Kind: HitPoint, Wire: s.Wires[i].Connection, At: k}, true, far
			}
		}
	})
	return hit, found
}

// PointNumber returns the number of a new point at p of a wire.
func (s *Scene) PointNumber(wire workflow.Connection, p geom.Point) (number int) {
	i := slices.IndexFunc(s.Wires, func(w Wire) bool { return w.Connection == wire })
	if i < 0 {
		return 0
	}
	from, to := s.Wires[i].Way.Ends()
	nearest := math.Inf(1)
	for k, next := range append(slices.Clone(Via(wire)), workflow.Position(to)) {
		if far := distanceToLine(p, from, geom.Point(next)); far < nearest {
			nearest, number = far, k
		}
		from = geom.Point(next)
	}
	return number
}

// groupAt finds the group that ok allows whose label or edge is at p; inner groups win.
func (s *Scene) groupAt(p geom.Point, zoom float64, ok func(id string) bool) Hit {
	const pixels = 5
	best, area := Hit{}, math.Inf(1)
	for _, g := range s.Groups {
		if ok != nil && !ok(g.ID) {
			continue
		}
		label := geom.RectAt(g.Rect.Min, g.Rect.W(), layout.FrameHeader)
		edge := g.Rect.Grow(pixels/zoom).Contains(p) && !g.Rect.Grow(-pixels/zoom).Contains(p)
		if a := g.Rect.W() * g.Rect.H(); (edge || label.Contains(p)) && a < area {
			best, area = Hit{Kind: HitGroup, ID: g.ID}, a
		}
	}
	return best
}

// Within returns what a marquee selects: the nodes that it touches, and the notes and groups
// inside it.
func (s *Scene) Within(r geom.Rect) doc.Set {
	var set doc.Set
	touched := make([]bool, len(s.Cards))
	s.cells.Within(r, func(i int) { touched[i] = s.Cards[i].Rect.Overlaps(r) })
	for i, yes := range touched {
		if yes {
			set.Nodes = append(set.Nodes, s.Cards[i].Node.ID)
		}
	}
	for _, n := range s.Notes {
		if r.Contains(n.Rect.Min) && r.Contains(n.Rect.Max) {
			set.Notes = append(set.Notes, n.ID)
		}
	}
	for _, g := range s.Groups {
		if r.Contains(g.Rect.Min) && r.Contains(g.Rect.Max) {
			set.Groups = append(set.Groups, g.ID)
		}
	}
	return set
}

// Set returns what was hit.
func (h Hit) Set() doc.Set {
	switch h.Kind {
	case HitNode, HitPort, HitCardCorner, HitAction:
		return doc.Set{Nodes: []string{h.ID}}
	case HitNote, HitNoteCorner:
		return doc.Set{Notes: []string{h.ID}}
	case HitGroup:
		return doc.Set{Groups: []string{h.ID}}
	case HitWire:
		return doc.Set{Wires: []workflow.Connection{h.Wire}}
	case HitPoint:
		return doc.Set{Points: []doc.Point{h.Point()}}
	default:
		return doc.Set{}
	}
}
