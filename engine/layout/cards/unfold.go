package cards

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Dimensions of a body that is shown on the card of its container, in dp.
const (
	bodyMargin = 24.0 // around the body's contents; wires use this space, too
	leastBody  = 120.0
)

// UnfoldedSize returns the minimum size of a card that shows a body with the bounds body.
// It differs from the size of the folded card by multiples of the grid.
func UnfoldedSize(folded, body geom.Rect) workflow.Size {
	around := geom.Point{X: 2 * (paneMargin + bodyMargin), Y: paneMargin + 2*bodyMargin}
	more := geom.Point{
		X: max(max(body.W(), leastBody)+around.X-folded.W(), 0),
		Y: max(body.H(), leastBody/2) + around.Y,
	}.SnapUp(geom.Pitch)
	return workflow.Size{W: folded.W() + more.X, H: folded.H() + more.Y}
}

// BodyAt returns the position of the origin of a body with the bounds body that is shown on
// the card.
func (c *Card) BodyAt(body geom.Rect) geom.Point {
	return c.Pane.Min.Add(geom.Point{X: bodyMargin, Y: bodyMargin}).Sub(body.Min)
}

// PlacedBody is a body that is shown on the card of its container: its pane and its
// contents, with positions on the level of the card.
type PlacedBody struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
	Layout
}

// bodyOn returns the body that is shown on a card, or nil.
func bodyOn(c *Card, registry *node.Registry) *PlacedBody {
	if !c.Unfolded() {
		return nil
	}
	in := shown(c.Node.Body, registry)
	in.move(c.BodyAt(boundsOf(in.cards, in.notes, in.def.Groups)))
	return &PlacedBody{X: c.Pane.Min.X, Y: c.Pane.Min.Y, W: c.Pane.W(), H: c.Pane.H(), Layout: layoutOf(in, registry)}
}

// move moves everything on the level.
func (l *level) move(by geom.Point) {
	for i := range l.cards {
		l.cards[i].Move(by)
	}
	for i := range l.notes {
		l.notes[i] = l.notes[i].Move(by)
	}
	l.connections = slices.Clone(l.connections)
	for i := range l.connections {
		c := &l.connections[i]
		if c.Via == nil {
			continue
		}
		via := slices.Clone(*c.Via)
		for k := range via {
			via[k] = workflow.Position(geom.Point(via[k]).Add(by))
		}
		c.Via = &via
	}
}
