package canvas

import (
	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
)

// Carry previews a node of a type that is dragged from elsewhere, at a point of the window.
// Outside of the canvas it shows nothing.
func (c *Canvas) Carry(typ string, at fyne.Position) {
	if c.carried != typ {
		c.carried = typ
		c.board.Carry(typ)
	}
	c.pointer = board.Pointer{At: c.local(at), Mods: c.held(c.modifiers())}
	c.board.Move(c.pointer)
	c.changed()
}

// DropCarried adds the carried node where it was released, if that is on the canvas.
func (c *Canvas) DropCarried(at fyne.Position) {
	if c.carried == "" {
		return
	}
	c.carried = ""
	p := board.Pointer{At: c.local(at), Mods: c.held(c.modifiers())}
	size := c.Size()
	if p.At.X < 0 || p.At.Y < 0 || p.At.X > float64(size.Width) || p.At.Y > float64(size.Height) {
		c.board.Cancel()
		c.changed()
		return
	}
	c.pointer = p
	c.board.Move(p)
	c.done(c.board.Up(p))
}

// local converts a point of the window to one of the canvas.
func (c *Canvas) local(at fyne.Position) geom.Point {
	return pointOf(at.Subtract(fyne.CurrentApp().Driver().AbsolutePositionForObject(c)))
}
