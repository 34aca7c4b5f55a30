package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Dot is a filled circle, for a state or for the colour of a node type. On a ground
// that is as dark as itself it gets a hairline. Its zero value is of no use; see
// [NewDot].
type Dot struct {
	widget.BaseWidget

	ink  Ink
	size float32
}

// NewDot returns a circle size dp wide.
func NewDot(ink Ink, size float32) *Dot {
	d := &Dot{ink: ink, size: size}
	d.ExtendBaseWidget(d)
	return d
}

// SetInk changes the colour.
func (d *Dot) SetInk(ink Ink) {
	d.ink = ink
	d.Refresh()
}

// CreateRenderer is for Fyne.
func (d *Dot) CreateRenderer() fyne.WidgetRenderer {
	r := &dotRenderer{d: d, circle: canvas.NewCircle(color.Transparent)}
	r.Refresh()
	return r
}

type dotRenderer struct {
	d      *Dot
	circle *canvas.Circle
}

func (r *dotRenderer) Refresh() {
	p := theme.Current()
	c := r.d.ink.of(p)
	r.circle.FillColor, r.circle.StrokeColor, r.circle.StrokeWidth = c, color.Transparent, 0
	if near(c, p.Panel) {
		r.circle.StrokeColor, r.circle.StrokeWidth = p.Hairline, 1
	}
	r.circle.Refresh()
}

// Layout keeps the size of the circle, in the middle of what there is.
func (r *dotRenderer) Layout(size fyne.Size) {
	d := r.d.size
	r.circle.Resize(fyne.NewSquareSize(d))
	r.circle.Move(fyne.NewPos((size.Width-d)/2, (size.Height-d)/2))
}

func (r *dotRenderer) MinSize() fyne.Size           { return fyne.NewSquareSize(r.d.size) }
func (r *dotRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.circle} }
func (r *dotRenderer) Destroy()                     {}
