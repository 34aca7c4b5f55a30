package uitest

import (
	"fmt"
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"github.com/svcflow/svc/ui/theme"
)

// Illegible returns the texts on a canvas, overlays included, with too little contrast to
// their background: each text once, and why. texts is the number of all texts.
func Illegible(t testing.TB, on fyne.Canvas) (bad []string, texts int) {
	t.Helper()
	p := theme.Current()
	m := &meter{palette: p, seen: map[string]bool{}}
	size := on.Size()
	for _, layer := range append([]fyne.CanvasObject{on.Content()}, on.Overlays().List()...) {
		m.walk(layer, fyne.Position{}, box{max: fyne.NewPos(size.Width, size.Height)})
	}
	return m.bad, m.texts
}

// meter walks through a window in painting order.
type meter struct {
	palette theme.Palette
	grounds []ground
	texts   int
	bad     []string
	seen    map[string]bool
}

// ground is a background of texts.
type ground struct {
	box
	color.NRGBA
}

type box struct{ min, max fyne.Position }

func boxOf(at fyne.Position, size fyne.Size) box {
	return box{at, at.AddXY(size.Width, size.Height)}
}

func (b box) has(p fyne.Position) bool {
	return p.X >= b.min.X && p.X <= b.max.X && p.Y >= b.min.Y && p.Y <= b.max.Y
}

// within returns the intersection of b and a.
func (b box) within(a box) box {
	return box{
		fyne.NewPos(max(b.min.X, a.min.X), max(b.min.Y, a.min.Y)),
		fyne.NewPos(min(b.max.X, a.max.X), min(b.max.Y, a.max.Y)),
	}
}

func (m *meter) walk(o fyne.CanvasObject, at fyne.Position, seen box) {
	if o == nil || !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	switch o := o.(type) {
	case *canvas.Text:
		m.read(o, at, seen)
	case *canvas.Rectangle:
		m.lay(boxOf(at, o.Size()).within(seen), o.FillColor)
	case *canvas.Circle:
		m.lay(boxOf(at, o.Size()).within(seen), o.FillColor)
	case *fyne.Container:
		for _, part := range o.Objects {
			m.walk(part, at, seen)
		}
	case fyne.Widget:
		switch o.(type) {
		case *container.Scroll, *container.Clip:
			seen = seen.within(boxOf(at, o.Size()))
		}
		for _, part := range test.WidgetRenderer(o).Objects() {
			m.walk(part, at, seen)
		}
	}
}

// lay records what is painted.
func (m *meter) lay(in box, c color.Color) {
	if c == nil {
		return
	}
	fill := color.NRGBAModel.Convert(c).(color.NRGBA)
	if fill.A > 0 && in.max.X > in.min.X && in.max.Y > in.min.Y {
		m.grounds = append(m.grounds, ground{in, fill})
	}
}

// read measures a text at its beginning, in its middle and at its end.
func (m *meter) read(t *canvas.Text, at fyne.Position, seen box) {
	if t.Text == "" {
		return
	}
	const edge = 2
	wide, free := t.MinSize().Width, t.Size()
	switch t.Alignment {
	case fyne.TextAlignCenter:
		at.X += (free.Width - wide) / 2
	case fyne.TextAlignTrailing:
		at.X += free.Width - wide
	case fyne.TextAlignLeading:
	}
	at.Y += max(free.Height, t.MinSize().Height) / 2
	for i, x := range []float32{wide / 2, edge, wide - edge} {
		place := at.AddXY(x, 0)
		if !seen.has(place) {
			continue
		}
		if i == 0 {
			m.texts++
		}
		m.measure(t, place)
	}
}

func (m *meter) measure(t *canvas.Text, at fyne.Position) {
	below := m.palette.Background
	for _, g := range m.grounds {
		if g.has(at) {
			below = theme.Over(g.NRGBA, below)
		}
	}
	ink := theme.Over(rgba(t.Color), below)
	ratio := theme.Contrast(ink, below)
	if ratio >= m.palette.MinContrast {
		return
	}
	const hundred = 100
	why := fmt.Sprintf("%q: %.2f, #%02x%02x%02x on #%02x%02x%02x", t.Text, float64(int(ratio*hundred))/hundred, ink.R, ink.G, ink.B, below.R, below.G, below.B)
	if !m.seen[why] {
		m.seen[why] = true
		m.bad = append(m.bad, why)
	}
}

func rgba(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }
