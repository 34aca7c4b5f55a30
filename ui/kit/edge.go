package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"

	"github.com/svcflow/svc/ui/theme"
)

// edge is the draggable border of a panel: a hairline in a wider area.
type edge struct {
	hovered

	flat     bool // is horizontal, and is dragged up and down
	pressed  func()
	moved    func(by float32) // called with the distance since the press, in dp
	released func()

	from float32 // the position of the press
	held bool
}

var (
	_ fyne.Draggable     = (*edge)(nil)
	_ desktop.Mouseable  = (*edge)(nil)
	_ desktop.Hoverable  = (*edge)(nil)
	_ desktop.Cursorable = (*edge)(nil)
)

// edgeReach is the width of the area that can be dragged.
const edgeReach = 8

func newEdge(flat bool) *edge {
	e := &edge{flat: flat}
	e.extend(e)
	return e
}

// MouseDown begins to drag the edge.
func (e *edge) MouseDown(m *desktop.MouseEvent) {
	if m.Button == desktop.MouseButtonPrimary {
		e.grip(m.AbsolutePosition)
	}
}

// MouseUp implements desktop.Mouseable.
func (e *edge) MouseUp(*desktop.MouseEvent) { e.DragEnd() }

// Dragged moves the edge.
func (e *edge) Dragged(d *fyne.DragEvent) {
	if !e.held {
		e.grip(d.AbsolutePosition.Subtract(d.Dragged))
	}
	e.moved(e.along(d.AbsolutePosition) - e.from)
}

// DragEnd ends the drag. It may be called twice.
func (e *edge) DragEnd() {
	if e.held {
		e.held = false
		e.Refresh()
		e.released()
	}
}

func (e *edge) grip(at fyne.Position) {
	e.held, e.from = true, e.along(at)
	e.pressed()
	e.Refresh()
}

func (e *edge) along(p fyne.Position) float32 {
	if e.flat {
		return p.Y
	}
	return p.X
}

// Cursor implements desktop.Cursorable.
func (e *edge) Cursor() desktop.Cursor {
	if e.flat {
		return desktop.VResizeCursor
	}
	return desktop.HResizeCursor
}

// MouseIn implements desktop.Hoverable.
func (e *edge) MouseIn(*desktop.MouseEvent) { e.come("") }

// CreateRenderer implements fyne.Widget.
func (e *edge) CreateRenderer() fyne.WidgetRenderer {
	r := &edgeRenderer{e: e, line: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type edgeRenderer struct {
	e    *edge
	line *canvas.Rectangle
}

func (r *edgeRenderer) Refresh() {
	p := theme.Current()
	r.line.FillColor = p.Line
	if r.e.lit || r.e.held {
		r.line.FillColor = p.Accent
	}
	r.Layout(r.e.Size())
	r.line.Refresh()
}

// Layout draws the line in the middle, thicker under the pointer.
func (r *edgeRenderer) Layout(size fyne.Size) {
	thick := float32(1)
	if r.e.lit || r.e.held {
		thick = 2
	}
	if r.e.flat {
		box(0, (edgeReach-thick)/2, size.Width, thick, r.line)
	} else {
		box((edgeReach-thick)/2, 0, thick, size.Height, r.line)
	}
}

func (r *edgeRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *edgeRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *edgeRenderer) Destroy()                     {}
