package inspector

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// swatches are the colours to choose from.
type swatches struct {
	all   []*swatch
	own   *swatch // the part's present colour, if it is not among the swatches
	whole *fyne.Container
}

func newSwatches(choose func(color string)) *swatches {
	s := &swatches{}
	row := container.New(layout.NewCustomPaddedHBoxLayout(8))
	for _, c := range append(append([]string{""}, theme.Swatches()...), "") {
		w := newSwatch(c, choose)
		s.all = append(s.all, w)
		row.Add(w)
	}
	s.own = s.all[len(s.all)-1]
	s.own.Hide()
	name := kit.NewText(lang.L("Colour"), kit.Style{Size: kit.Secondary, Bold: true})
	s.whole = kit.Column(6, name, row)
	return s
}

// set marks the chosen colour.
func (s *swatches) set(c string, readOnly bool) {
	known := slices.ContainsFunc(s.all[:len(s.all)-1], func(w *swatch) bool { return w.color == c })
	if !known {
		s.own.color = c
	}
	s.own.Hidden = known
	for i, w := range s.all {
		w.chosen = w.color == c && (i < len(s.all)-1 || !known)
		enable(w, !readOnly)
		w.Refresh()
	}
}

// swatch is one colour.
type swatch struct {
	kit.Pressable

	color  string // "" is the usual one
	chosen bool
}

var _ desktop.Cursorable = (*swatch)(nil)

func newSwatch(c string, choose func(string)) *swatch {
	s := &swatch{color: c}
	s.Extend(s, func() { choose(s.color) })
	return s
}

// Cursor implements desktop.Cursorable.
func (s *swatch) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (s *swatch) CreateRenderer() fyne.WidgetRenderer {
	r := &swatchRenderer{s: s, ring: canvas.NewCircle(color.Transparent), fill: canvas.NewCircle(color.Transparent)}
	r.paint()
	return r
}

type swatchRenderer struct {
	s          *swatch
	ring, fill *canvas.Circle
}

const swatchSize, swatchGap = 22, 3

func (r *swatchRenderer) paint() {
	p := theme.Current()
	r.fill.FillColor = p.Line
	if r.s.color != "" {
		r.fill.FillColor = colors.Exact(r.s.color)(p)
	}
	r.ring.StrokeColor, r.ring.StrokeWidth = color.Transparent, 0
	switch {
	case r.s.chosen:
		r.ring.StrokeColor, r.ring.StrokeWidth = p.Text, 2
	case r.s.Focused():
		r.ring.StrokeColor, r.ring.StrokeWidth = p.Accent, 1
	}
}

func (r *swatchRenderer) Refresh() {
	r.paint()
	canvas.Refresh(r.s)
}

func (r *swatchRenderer) Layout(fyne.Size) {
	r.ring.Resize(fyne.NewSquareSize(swatchSize))
	r.fill.Resize(fyne.NewSquareSize(swatchSize - 2*swatchGap))
	r.fill.Move(fyne.NewSquareOffsetPos(swatchGap))
}

func (r *swatchRenderer) MinSize() fyne.Size           { return fyne.NewSquareSize(swatchSize) }
func (r *swatchRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.ring, r.fill} }
func (r *swatchRenderer) Destroy()                     {}
