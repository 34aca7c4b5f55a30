package inspector

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// twice lays out a scroll again after its width has changed: only then do its texts know
// their heights.
type twice struct{}

// Layout implements fyne.Layout.
func (twice) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.Position{})
		known := o.Size().Width == size.Width
		o.Resize(size)
		if !known {
			o.Refresh()
		}
	}
}

// MinSize implements fyne.Layout.
func (twice) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size = size.Max(o.MinSize())
	}
	return size
}

// withButton is an entry with a button at its right, which is as high as the entry.
type withButton struct{}

// Layout implements fyne.Layout.
func (withButton) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	const gap = 6
	width := objects[1].MinSize().Width
	objects[0].Resize(fyne.NewSize(size.Width-width-gap, size.Height))
	objects[0].Move(fyne.Position{})
	objects[1].Resize(fyne.NewSize(width, size.Height))
	objects[1].Move(fyne.NewPos(size.Width-width, 0))
}

// MinSize implements fyne.Layout.
func (withButton) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[0].MinSize().AddWidthHeight(objects[1].MinSize().Width, 0)
}

// caption is small text that wraps. Empty, it takes no room.
type caption struct{ text *kit.Paragraph }

func newCaption() caption {
	c := caption{kit.NewParagraph("", kit.Style{Size: kit.Caption})}
	c.text.Hide()
	return c
}

// set changes the text, and reports whether it was different.
func (c caption) set(text string, ink kit.ColorFunc) bool {
	if c.text.Text() == text {
		return false
	}
	c.text.SetStyle(kit.Style{Size: kit.Caption, Ink: ink})
	c.text.SetText(text)
	c.text.Hidden = text == ""
	return true
}

// fold is a collapsible part of a page. Its state is shared by all pages.
type fold struct {
	editor  *editor
	title   string
	arrow   *glyph
	content fyne.CanvasObject
	whole   *fyne.Container
}

// newFold returns a fold. key identifies it, independent of the translated title.
func newFold(d *editor, key, title string, content fyne.CanvasObject) *fold {
	f := &fold{editor: d, title: key, content: content}
	f.arrow = newGlyph(fynetheme.IconNameMenuExpand, "", f.toggle)
	head := kit.Row(2, kit.NewText(title, kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim}), f.arrow)
	f.whole = kit.Column(8, kit.NewTouch(head, f.toggle), content)
	f.show()
	return f
}

func (f *fold) toggle() {
	f.editor.open[f.title] = !f.editor.open[f.title]
	f.show()
	f.editor.relayout()
}

func (f *fold) show() {
	if f.editor.open[f.title] {
		f.content.Show()
		f.arrow.icon = fynetheme.IconNameArrowDropDown
	} else {
		f.content.Hide()
		f.arrow.icon = fynetheme.IconNameMenuExpand
	}
	f.arrow.Refresh()
}

// glyph is a small button, as high as a line of text, with an icon or a few words.
type glyph struct {
	kit.Pressable

	text string
	icon fyne.ThemeIconName // if there is no text
	ink  kit.ColorFunc
}

var _ desktop.Cursorable = (*glyph)(nil)

// newGlyph returns a button with an icon. tip is its tooltip.
func newGlyph(icon fyne.ThemeIconName, tip string, tapped func()) *glyph {
	g := &glyph{icon: icon, ink: kit.Dim}
	g.SetTip(tip)
	g.Extend(g, tapped)
	return g
}

// newLink returns a text button.
func newLink(text string, tapped func()) *glyph {
	g := &glyph{text: text, ink: kit.Accent}
	g.Extend(g, tapped)
	return g
}

func (g *glyph) setText(text string) {
	if g.text != text {
		g.text = text
		g.Refresh()
	}
}

// Cursor implements desktop.Cursorable.
func (g *glyph) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (g *glyph) CreateRenderer() fyne.WidgetRenderer {
	r := &glyphRenderer{g: g, ground: canvas.NewRectangle(color.Transparent), words: canvas.NewText("", color.Transparent), icon: canvas.NewImageFromResource(nil)}
	r.ground.CornerRadius = 4
	r.icon.FillMode = canvas.ImageFillContain
	r.paint()
	return r
}

type glyphRenderer struct {
	g      *glyph
	ground *canvas.Rectangle
	words  *canvas.Text
	icon   *canvas.Image
}

const glyphSize = 16

func (r *glyphRenderer) paint() {
	p := theme.Current()
	ink := r.g.ink(p)
	switch {
	case r.g.Disabled():
		ink = p.Dim
	case r.g.Lit():
		ink = p.Text
	}
	r.ground.FillColor, r.ground.StrokeWidth = color.Transparent, 0
	if r.g.Lit() && r.g.text == "" {
		r.ground.FillColor = fyne.CurrentApp().Settings().Theme().Color(fynetheme.ColorNameHover, fyne.CurrentApp().Settings().ThemeVariant())
	}
	if r.g.Focused() {
		r.ground.StrokeColor, r.ground.StrokeWidth = p.Accent, 1
	}
	r.words.Text, r.words.TextSize, r.words.Color = r.g.text, kit.Secondary, p.Legible(ink)
	r.icon.Hidden = r.g.text != ""
	if r.icon.Visible() {
		drawing := fyne.CurrentApp().Settings().Theme().Icon(r.g.icon)
		name := fynetheme.ColorNamePlaceHolder
		if r.g.Lit() {
			name = fynetheme.ColorNameForeground
		}
		r.icon.Resource = fynetheme.NewColoredResource(drawing, name)
	}
}

func (r *glyphRenderer) Layout(size fyne.Size) {
	r.ground.Resize(size)
	r.words.Resize(size)
	r.icon.Resize(fyne.NewSquareSize(glyphSize))
	r.icon.Move(fyne.NewPos((size.Width-glyphSize)/2, (size.Height-glyphSize)/2))
}

func (r *glyphRenderer) MinSize() fyne.Size {
	if r.g.text == "" {
		return fyne.NewSquareSize(glyphSize)
	}
	return r.words.MinSize()
}

func (r *glyphRenderer) Refresh() {
	r.paint()
	r.Layout(r.g.Size())
	r.icon.Refresh() // otherwise the old icon stays
	canvas.Refresh(r.g)
}

func (r *glyphRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.words, r.icon}
}
func (r *glyphRenderer) Destroy() {}

// outline is the edge of a control: red if its value is wrong, else a hairline for controls
// that Fyne draws without one, or with too strong a one, as around disabled entries. It
// covers the control but takes no events.
type outline struct {
	widget.BaseWidget

	wrong, line bool
	lit         bool // highlighted as the target of a drop
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

// CreateRenderer implements fyne.Widget.
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
	// Like the edge that Fyne draws around an entry.
	r.edge.Resize(size.SubtractWidthHeight(1.5, 1.5))
	r.edge.Move(fyne.NewPos(0.5, 0.5))
}

func (r *outlineRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *outlineRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.edge} }
func (r *outlineRenderer) Destroy()                     {}
