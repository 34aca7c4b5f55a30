package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Scene is how a level lies on the canvas, in dp, wires included. It is immutable; a
// change of the document makes another.
type Scene struct {
	Cards  []cards.Card // by node, in document order
	Wires  []Wire       // in document order, without those that lack an end
	Groups []doc.Frame
	Notes  []doc.Sticky
	Bounds geom.Rect // around all of it

	byID  map[string]int
	cells geom.Index // of cards
	lines geom.Index // of wires
}

// Wire is a connection on the canvas.
type Wire struct {
	workflow.Connection

	Index    int // in the document
	From, To int // its cards
	Curve    Curve
	Type     value.Type // of its source
}

// New returns how the level of a document lies on the canvas now.
func New(d *doc.Document) *Scene {
	s := &Scene{Cards: d.Cards(), Groups: d.Frames(), Notes: d.Stickies(), Bounds: d.Bounds()}
	s.byID = make(map[string]int, len(s.Cards))
	for i := range s.Cards {
		id := s.Cards[i].Node.ID
		if _, twice := s.byID[id]; !twice { // the first of several with one id counts
			s.byID[id] = i
		}
	}
	s.addWires(d.Connections())
	s.cells, s.lines = geom.NewIndex(len(s.Cards)), geom.NewIndex(len(s.Wires))
	for i := range s.Cards {
		s.cells.Add(i, s.Cards[i].Extent())
	}
	for i := range s.Wires {
		s.lines.Add(i, s.Wires[i].Curve.Bounds())
	}
	return s
}

func (s *Scene) addWires(connections []workflow.Connection) {
	s.Wires = make([]Wire, 0, len(connections))
	for i, c := range connections {
		from, ok := s.byID[c.FromNodeID]
		to, also := s.byID[c.ToNodeID]
		if !ok || !also {
			continue
		}
		source, target := s.Cards[from].Anchor(c.FromPort, true), s.Cards[to].Anchor(c.ToPort, false)
		if source == nil || target == nil {
			continue
		}
		s.Wires = append(s.Wires, Wire{
			Connection: c, Index: i, From: from, To: to, Curve: WireCurve(source.At, target.At), Type: source.Spec.Type,
		})
	}
}

// Card returns the card of a node. The caller must not change it.
func (s *Scene) Card(id string) (*cards.Card, bool) {
	i, ok := s.byID[id]
	if !ok {
		return nil, false
	}
	return &s.Cards[i], true
}

// Anchor returns a port on its card.
func (s *Scene) Anchor(ref cards.PortRef) (*cards.Anchor, bool) {
	card, ok := s.Card(ref.Node)
	if !ok {
		return nil, false
	}
	a := card.Anchor(ref.Port, ref.Output)
	return a, a != nil
}
