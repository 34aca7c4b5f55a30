package cards

import (
	"github.com/svcflow/svc/engine/layout/geom"
)

// Dimensions of the pane of a card, in dp.
const (
	PaneWidth    = 240.0 // of a new card
	PaneHeight   = 120.0
	MinPane      = 40.0 // minimum height
	MaxPaneWidth = 1600.0
	paneMargin   = 10.0
)

// Shows reports whether the node exists to display a value on its card.
func (c *Card) Shows() bool { return c.Spec != nil && c.Spec.Shows.Port != "" && !c.Circle }

// Unfolded reports whether the body of the node is shown in the pane of its card.
func (c *Card) Unfolded() bool {
	return c.Node.Size != nil && c.Node.Body != nil && c.Spec != nil && c.Spec.Container && !c.Circle
}

// paneWidth returns the width of the card according to the document, or 0 if it has none.
func (c *Card) paneWidth() float64 {
	switch {
	case c.Unfolded():
		return c.Node.Size.W
	case !c.Shows() || c.Node.Size == nil:
		return 0
	}
	return min(c.Node.Size.W, MaxPaneWidth)
}

// layPane makes room for the value or the body below the rows, if the document has a size
// for the card.
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

// Below returns where a card without a size in the document shows its value: below the
// card, on top of other things. It is empty for all other cards.
func (c *Card) Below() geom.Rect {
	if !c.Shows() || !c.Pane.Empty() {
		return geom.Rect{}
	}
	return geom.RectAt(geom.Point{X: c.Rect.Min.X, Y: c.Rect.Max.Y + paneMargin/2}, max(c.Rect.W(), PaneWidth), PaneHeight)
}

// Grip returns the corner that resizes the card; empty if the size is fixed.
func (c *Card) Grip() geom.Rect {
	if !c.Shows() {
		return geom.Rect{}
	}
	return geom.Rect{Min: geom.Point{X: c.Rect.Max.X - NoteGrip, Y: c.Rect.Max.Y - NoteGrip}, Max: c.Rect.Max}
}
