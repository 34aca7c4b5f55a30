package inspector

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// outline is the edge of a control: red if its value is wrong, else a hairline for
// those that Fyne draws without one, or with one that is too loud, as around entries
// that are disabled. It lies on the control and lets everything through to it.
type outline struct {
	widget.BaseWidget

	wrong, line bool
	lit         bool // something would be dropped there
}

func newOutline() *outline {
	o := &outline{}
	o.ExtendBaseWidget(o)
	return o
}

func (o *outline) set(wrong, line bool) {
	if o.wrong != wrong || o.line != line {
		o.wrong, o.line = wrong, line
		o.Refresh()
	}
}

func (o *outline) light(lit bool) {
	if o.lit != lit {
		o.lit = lit
		o.Refresh()
	}
}

// CreateRenderer is for Fyne.
func (o *outline) CreateRenderer() fyne.WidgetRenderer {
	r := &outlineRenderer{o: o, edge: canvas.NewRectangle(color.Transparent)}
	r.edge.CornerRadius = 8
	r.paint()
	return r
}

type outlineRenderer struct {
	o    *outline
	edge *canvas.Rectangle
}

func (r *outlineRenderer) paint() {
	r.edge.StrokeWidth = 1
	switch p := theme.Current(); {
	case r.o.lit:
		r.edge.StrokeColor, r.edge.StrokeWidth = p.Accent, 2
	case r.o.wrong:
		r.edge.StrokeColor = p.Error
	case r.o.line:
		r.edge.StrokeColor = p.Line
	default:
		r.edge.StrokeWidth = 0
	}
}

func (r *outlineRenderer) Refresh() {
	r.paint()
	r.edge.Refresh()
}

func (r *outlineRenderer) Layout(size fyne.Size) {
	// As Fyne draws the edge of an entry.
	r.edge.Resize(size.SubtractWidthHeight(1.5, 1.5))
	r.edge.Move(fyne.NewPos(0.5, 0.5))
}

func (r *outlineRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *outlineRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.edge} }
func (r *outlineRenderer) Destroy()                     {}
