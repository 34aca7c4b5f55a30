package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
)

// Stop is the breakpoint of a node.
type Stop uint8

// The kinds of breakpoints.
const (
	StopNone   Stop = iota
	StopBefore      // runs will wait before the node
	StopHere        // the run that is shown waits here
)

// stop marks a breakpoint: a red square on the node's lower edge; and where the run waits, a
// plate and a ring around the node.
func (p *Pen) stop(c *cards.Card, by geom.Point) {
	const side, inset, width, height = 10.0, 14.0, 62.0, 16.0
	r := c.Rect.Move(by)
	at := geom.Point{X: r.Min.X + inset, Y: r.Max.Y}
	switch p.look.Stop(c.Node.ID) {
	case StopNone:
	case StopBefore:
		p.Rect(geom.RectAt(at.Sub(geom.Point{Y: side / 2}), side, side), Item{Fill: Plain(InkError), Stroke: Plain(InkCanvas), Width: 1.5, Radius: 2})
	case StopHere:
		p.Rect(r.Grow(4), Item{Stroke: Plain(InkRunning), Width: 2, Radius: 13})
		plate := geom.RectAt(at.Sub(geom.Point{Y: height / 2}), width, height)
		p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(InkRunning), Width: 1, Radius: height / 2})
		p.text(plate, "waits", Item{Size: cards.CaptionText - 1, Bold: true, Align: Centered, Fill: Plain(InkRunning)})
	}
}
