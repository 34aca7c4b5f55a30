package scene

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/layout/ways"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Scene is the geometry of a level, in dp, including wires. It is immutable; a change of the
// document makes a new one.
type Scene struct {
	Cards  []cards.Card // by node, in document order
	Wires  []Wire       // in document order, without those that lack a port
	Groups []doc.Frame
	Notes  []doc.Sticky
	Bounds geom.Rect // around all of it

	byID  map[string]int
	cells geom.Index // of cards
	lines geom.Index // of wires
	plan  *ways.Plan // of the wires that are routed automatically
}

// Wire is a connection on the canvas.
type Wire struct {
	workflow.Connection

	Index    int // in the document
	From, To int // its cards
	Way      Way
	Type     value.Type // of its source

	bends  []geom.Point // the points where it goes around cards
	bounds geom.Rect    // of its way
}

// New returns the scene of a document's level.
func New(d *doc.Document) *Scene {
	var none *Scene
	return none.Again(d)
}

// Again returns the scene after a change of the document: wires without changes nearby keep
// their paths. The receiver may be nil.
func (before *Scene) Again(d *doc.Document) *Scene {
	s := &Scene{Cards: d.Cards(), Groups: d.Frames(), Notes: d.Stickies(), Bounds: d.Bounds()}
	s.byID = make(map[string]int, len(s.Cards))
	for i := range s.Cards {
		id := s.Cards[i].Node.ID
		if _, twice := s.byID[id]; !twice { // the first of several with one id counts
			s.byID[id] = i
		}
	}
	s.addWires(d.Connections())
	s.lead(before)
	s.cells, s.lines = geom.NewIndex(len(s.Cards)), geom.NewIndex(len(s.Wires))
	for i := range s.Cards {
		s.cells.Add(i, s.Cards[i].Extent())
	}
	for i := range s.Wires {
		s.Wires[i].bounds = s.Wires[i].Way.Bounds()
		s.lines.Add(i, s.Wires[i].bounds)
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
			Connection: c, Index: i, From: from, To: to, Way: bare(source.At, target.At), Type: source.Spec.Type,
		})
	}
}

// lead routes the wires: through their points, or around cards.
func (s *Scene) lead(before *Scene) {
	boxes := make([]geom.Rect, len(s.Cards))
	for i := range s.Cards {
		boxes[i] = s.Cards[i].Extent()
	}
	var free []ways.Wire
	var which []int
	for i := range s.Wires {
		w := &s.Wires[i]
		from, to := w.Way.Ends()
		if len(Via(w.Connection)) > 0 {
			w.Way = wayOver(from, to, w.Via)
			continue
		}
		free, which = append(free, ways.Wire{From: from, To: to, Source: w.From, Target: w.To}), append(which, i)
	}
	var known *ways.Plan
	if before != nil {
		known = before.plan
	}
	s.plan = known.Again(boxes, cards.PortReach, free)
	for k, bends := range s.plan.Bends {
		s.Wires[which[k]].leadOver(bends)
	}
}

// leadOver routes a wire around cards; without bends it keeps its curve.
func (w *Wire) leadOver(bends []geom.Point) {
	if len(bends) == 0 {
		return
	}
	from, to := w.Way.Ends()
	w.bends = bends
	w.Way = led(slices.Concat([]geom.Point{from}, bends, []geom.Point{to}), geom.CornerRadius)
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
