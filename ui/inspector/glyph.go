package inspector

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// glyph is a button that is no higher than a line of text: an icon, or a few words.
type glyph struct {
	kit.Pressable

	text string
	icon fyne.ThemeIconName // if there is no text
	ink  kit.Ink
}

var _ desktop.Cursorable = (*glyph)(nil)

// newGlyph returns a button with an icon. tip says what it does.
func newGlyph(icon fyne.ThemeIconName, tip string, tapped func()) *glyph {
	g := &glyph{icon: icon, ink: kit.Dim}
	g.SetTip(tip)
	g.Extend(g, tapped)
	return g
}

// newLink returns a button with words.
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

// Cursor is for Fyne.
func (g *glyph) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer is for Fyne.
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
	r.icon.Refresh() // or the old drawing stays
	canvas.Refresh(r.g)
}

func (r *glyphRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.words, r.icon}
}
func (r *glyphRenderer) Destroy() {}
