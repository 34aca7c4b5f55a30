package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// Panel lays content on the colour of panels.
func Panel(content fyne.CanvasObject) fyne.CanvasObject {
	return container.NewStack(newFill(func(p theme.Palette) color.NRGBA { return p.Panel }), content)
}

// Inset lays content on the colour of fields, with round corners and a hairline.
func Inset(content fyne.CanvasObject) fyne.CanvasObject {
	ground := newFill(func(p theme.Palette) color.NRGBA { return p.Background })
	ground.line, ground.radius = true, 8
	return container.NewStack(ground, content)
}

// Pad keeps content away from the edges, in dp.
func Pad(vertical, horizontal float32, content fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(vertical, vertical, horizontal, horizontal), content)
}

// Column puts objects below each other, gap dp apart.
func Column(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(gap), objects...)
}

// Row puts objects beside each other, gap dp apart.
func Row(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedHBoxLayout(gap), objects...)
}

// fill is a rectangle of the theme.
type fill struct {
	widget.BaseWidget

	ink    Ink
	line   bool
	radius float32
}

func newFill(ink Ink) *fill {
	f := &fill{ink: ink}
	f.ExtendBaseWidget(f)
	return f
}

// CreateRenderer is for Fyne.
func (f *fill) CreateRenderer() fyne.WidgetRenderer {
	r := &fillRenderer{f: f, rect: canvas.NewRectangle(color.Transparent)}
	r.paint()
	return r
}

type fillRenderer struct {
	f    *fill
	rect *canvas.Rectangle
}

func (r *fillRenderer) paint() {
	p := theme.Current()
	r.rect.FillColor = r.f.ink(p)
	r.rect.CornerRadius = r.f.radius
	if r.f.line {
		r.rect.StrokeColor, r.rect.StrokeWidth = p.Line, 1
	}
}

func (r *fillRenderer) Refresh() {
	r.paint()
	r.rect.Refresh()
}

func (r *fillRenderer) Layout(size fyne.Size)        { r.rect.Resize(size) }
func (r *fillRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *fillRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }
func (r *fillRenderer) Destroy()                     {}
