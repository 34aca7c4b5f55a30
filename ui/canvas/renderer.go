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

// Layout takes on a size. Fyne asks for it again after each picture that has other texts
// in it than the one before: nothing is to be done then.
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

// Objects returns what is in view, from back to front.
func (r *renderer) Objects() []fyne.CanvasObject { return r.brush.objects }

// Refresh takes over the colours of the theme, and shows the board.
func (r *renderer) Refresh() {
	r.restyle()
	r.show()
}

// Destroy lets all primitives go.
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
