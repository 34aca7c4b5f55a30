package canvas

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"github.com/svcflow/svc/ui/theme"
)

// renderer shows the draw list of the board. It reuses its primitives: the next frame moves
// those of the last one.
type renderer struct {
	widget *Canvas
	ground *canvas.Rectangle
	brush  brush
}

func newRenderer(c *Canvas) *renderer {
	r := &renderer{widget: c, ground: canvas.NewRectangle(nil)}
	r.restyle()
	return r
}

// Layout adopts a size. Fyne calls it after each frame with other texts than the last one:
// then there is nothing to do.
func (r *renderer) Layout(size fyne.Size) {
	if size == r.ground.Size() {
		return
	}
	r.ground.Resize(size)
	r.widget.resized()
	r.show()
}

// MinSize is that of the widget.
func (r *renderer) MinSize() fyne.Size { return r.widget.MinSize() }

// Objects returns the primitives in view, from back to front.
func (r *renderer) Objects() []fyne.CanvasObject { return r.brush.objects }

// Refresh adopts the colours of the theme, and draws the board.
func (r *renderer) Refresh() {
	r.restyle()
	r.show()
}

// Destroy releases all primitives.
func (r *renderer) Destroy() {
	r.widget.show = nil
	r.brush = brush{}
}

func (r *renderer) restyle() {
	p := theme.Current()
	r.ground.FillColor = p.Canvas
	r.brush.restyle(&p)
}

// show puts the draw list on the screen and requests a repaint. It refreshes nothing: Fyne
// would walk through all primitives.
func (r *renderer) show() {
	r.brush.begin(r.ground)
	items := r.widget.board.Draw()
	for i := range items {
		r.brush.paint(&items[i])
	}
	on := fyne.CurrentApp().Driver().CanvasForObject(r.widget)
	if dirty, ok := on.(interface{ SetDirty() }); ok {
		dirty.SetDirty()
	}
}
