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

// Panel puts content on the background of panels.
func Panel(content fyne.CanvasObject) fyne.CanvasObject {
	return container.NewStack(newFill(panelInk), content)
}

// Inset puts content on the background of fields, with round corners and a hairline.
func Inset(content fyne.CanvasObject) fyne.CanvasObject {
	ground := newFill(fieldInk)
	ground.line, ground.radius = true, 8
	return container.NewStack(ground, content)
}

// Pad adds padding, in dp.
func Pad(vertical, horizontal float32, content fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(vertical, vertical, horizontal, horizontal), content)
}

// Column puts objects below each other, gap dp apart. Each gets the height that it needs at
// the present width, as a [Paragraph] does.
func Column(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(columnLayout{gap}, objects...)
}

// Row puts objects side by side, gap dp apart.
func Row(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedHBoxLayout(gap), objects...)
}

// Middle centres an object vertically, at the full width.
func Middle(o fyne.CanvasObject) *fyne.Container { return container.New(middleLayout{}, o) }

type middleLayout struct{}

// Layout implements fyne.Layout.
func (middleLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		Put(o, 0, size.Width, size.Height)
	}
}

// MinSize implements fyne.Layout.
func (middleLayout) MinSize(objects []fyne.CanvasObject) fyne.Size { return objects[0].MinSize() }

type columnLayout struct{ gap float32 }

// Layout implements fyne.Layout.
func (l columnLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		o.Resize(fyne.NewSize(size.Width, o.Size().Height)) // its height may depend on its width
		height := o.MinSize().Height
		o.Resize(fyne.NewSize(size.Width, height))
		o.Move(fyne.NewPos(0, y))
		y += height + l.gap
	}
}

// MinSize implements fyne.Layout.
func (l columnLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	seen := 0
	for _, o := range objects {
		if o.Visible() {
			least := o.MinSize()
			size.Width = max(size.Width, least.Width)
			size.Height += least.Height
			seen++
		}
	}
	size.Height += l.gap * float32(max(seen-1, 0))
	return size
}

func panelInk(p theme.Palette) color.NRGBA { return p.Panel }
func fieldInk(p theme.Palette) color.NRGBA { return p.Background }
func cardInk(p theme.Palette) color.NRGBA  { return p.Card }
func lineInk(p theme.Palette) color.NRGBA  { return p.Line }

// fill is a rectangle in a colour of the theme.
type fill struct {
	widget.BaseWidget

	ink    ColorFunc
	line   bool
	radius float32
}

func newFill(ink ColorFunc) *fill {
	f := &fill{ink: ink}
	f.ExtendBaseWidget(f)
	return f
}

// CreateRenderer implements fyne.Widget.
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
	r.rect.FillColor = r.f.ink.of(p)
	r.rect.CornerRadius = r.f.radius
	r.rect.StrokeWidth = 0
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

// Empty fills an empty panel: a title, a sentence that says what would be there or what to
// do, and an action for it, which may be nil.
func Empty(title, sentence string, action fyne.CanvasObject) fyne.CanvasObject {
	column := Column(4,
		NewText(title, Style{Bold: true, Align: fyne.TextAlignCenter, Cut: true}),
		NewParagraph(sentence, Style{Size: Secondary, Ink: Dim, Align: fyne.TextAlignCenter}),
	)
	if action != nil {
		column.Add(Pad(8, 0, container.NewCenter(action)))
	}
	return container.NewBorder(nil, nil, nil, nil, Column(0, Pad(32, 24, column), layout.NewSpacer()))
}
