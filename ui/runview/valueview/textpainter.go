package valueview

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"github.com/svcflow/svc/ui/theme"
)

const (
	textPad = 4 // the padding of a text
	leading = 4 // the distance between two lines
)

// textPainter draws the visible lines of a text, with the background of the selection.
type textPainter struct {
	pane    *textPane
	texts   []*canvas.Text
	grounds []*canvas.Rectangle
	objects []fyne.CanvasObject
}

// Refresh draws the visible lines.
func (p *textPainter) Refresh() {
	p.pane.fit()
	from, to := p.pane.rows()
	for len(p.texts) < to-from {
		text := canvas.NewText("", color.Transparent)
		text.TextSize, text.TextStyle.Monospace = MonoSize, true
		p.texts = append(p.texts, text)
		p.grounds = append(p.grounds, canvas.NewRectangle(color.Transparent))
	}
	p.objects = p.objects[:0]
	colors := theme.Current()
	ink := theme.Veil(colors.Accent, 0x50)
	for i := from; i < to; i++ {
		p.paint(i, p.texts[i-from], p.grounds[i-from])
		p.texts[i-from].Color, p.grounds[i-from].FillColor = colors.Text, ink
		p.objects = append(p.objects, p.grounds[i-from], p.texts[i-from])
	}
	for _, o := range p.objects {
		o.Refresh()
	}
}

func (p *textPainter) paint(row int, text *canvas.Text, ground *canvas.Rectangle) {
	t := p.pane
	l, top := t.lines[row], textPad+float32(row)*t.cell.Height
	text.Text = t.shownOf(l)
	text.Move(fyne.NewPos(textPad, top+leading/2))
	text.Resize(fyne.NewSize(t.Size().Width, t.cell.Height-leading))
	from, to := t.selected()
	from, to = max(from, l.from), min(to, l.to)
	ground.Hidden = from >= to
	if !ground.Hidden {
		left := float32(measure(t.text[l.from:from])) * t.cell.Width
		ground.Move(fyne.NewPos(textPad+left, top))
		ground.Resize(fyne.NewSize(float32(measure(t.text[from:to]))*t.cell.Width, t.cell.Height))
	}
}

// Layout wraps the lines.
func (p *textPainter) Layout(fyne.Size) {
	before := len(p.pane.lines)
	p.Refresh()
	if len(p.pane.lines) != before {
		p.pane.scroll.Refresh() // the height of the text has changed
	}
}

// MinSize is as high as all lines.
func (p *textPainter) MinSize() fyne.Size {
	return fyne.NewSize(0, float32(len(p.pane.lines))*p.pane.cell.Height+2*textPad)
}

// Objects returns the visible lines.
func (p *textPainter) Objects() []fyne.CanvasObject { return p.objects }

// Destroy releases the lines.
func (p *textPainter) Destroy() { p.texts, p.grounds, p.objects = nil, nil, nil }
