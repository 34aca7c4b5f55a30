package cards

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// The measures of a body that is shown on the card of its container, in dp.
const (
	bodyMargin = 24.0 // around what lies in it; wires go there, too
	leastBody  = 120.0
)

// UnfoldedSize returns how large a card has to be, at least, to show a body that fills a
// rectangle. It differs by whole steps of the grid from how large the card is without.
func UnfoldedSize(folded, body geom.Rect) workflow.Size {
	around := geom.Point{X: 2 * (paneMargin + bodyMargin), Y: paneMargin + 2*bodyMargin}
	more := geom.Point{
		X: max(max(body.W(), leastBody)+around.X-folded.W(), 0),
		Y: max(body.H(), leastBody/2) + around.Y,
	}.SnapUp(geom.Pitch)
	return workflow.Size{W: folded.W() + more.X, H: folded.H() + more.Y}
}

// BodyAt returns where the origin of a body lies that fills a rectangle and is shown on the
// card.
func (c *Card) BodyAt(body geom.Rect) geom.Point {
	return c.Pane.Min.Add(geom.Point{X: bodyMargin, Y: bodyMargin}).Sub(body.Min)
}
