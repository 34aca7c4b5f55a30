package cards

import (
	"github.com/svcflow/svc/engine/layout/geom"
)

// The measures of what a card shows of a value, in dp.
const (
	PaneWidth    = 240.0 // of a card that has just been made
	PaneHeight   = 120.0
	MinPane      = 40.0 // the least height
	MaxPaneWidth = 1600.0
	paneMargin   = 10.0
)

// Shows reports whether the node is there to have a value looked at, on its card.
func (c *Card) Shows() bool { return c.Spec != nil && c.Spec.Shows.Port != "" && !c.Circle }

// Unfolded reports whether the body of the node is shown on its card: in its pane.
func (c *Card) Unfolded() bool {
	return c.Node.Size != nil && c.Node.Body != nil && c.Spec != nil && c.Spec.Container && !c.Circle
}

// paneWidth returns how wide the document wants the card; 0 if it does not say.
func (c *Card) paneWidth() float64 {
	switch {
	case c.Unfolded():
		return c.Node.Size.W
	case !c.Shows() || c.Node.Size == nil:
		return 0
	}
	return min(c.Node.Size.W, MaxPaneWidth)
}

// layPane makes room for the value or the body below the rows, if the document says how
// large the card is.
func (c *Card) layPane() {
	if c.paneWidth() == 0 {
		return
	}
	top := c.Rect.Max.Y
	c.Rect.Max.Y = max(c.Node.Size.H, top+MinPane)
	c.Pane = geom.Rect{
		Min: geom.Point{X: paneMargin, Y: top},
		Max: geom.Point{X: c.Rect.Max.X - paneMargin, Y: c.Rect.Max.Y - paneMargin},
	}
}

// Below is where a card whose size the document does not say shows its value: it hangs
// there, over whatever else there is. It is empty for all other cards.
func (c *Card) Below() geom.Rect {
	if !c.Shows() || !c.Pane.Empty() {
		return geom.Rect{}
	}
	return geom.RectAt(geom.Point{X: c.Rect.Min.X, Y: c.Rect.Max.Y + paneMargin/2}, max(c.Rect.W(), PaneWidth), PaneHeight)
}

// Grip returns the corner that resizes the card; it is empty if that has one size only.
func (c *Card) Grip() geom.Rect {
	if !c.Shows() {
		return geom.Rect{}
	}
	return geom.Rect{Min: geom.Point{X: c.Rect.Max.X - NoteGrip, Y: c.Rect.Max.Y - NoteGrip}, Max: c.Rect.Max}
}
