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
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// swatches are the colours to choose from.
type swatches struct {
	all   []*swatch
	own   *swatch // a colour from elsewhere that the part has
	whole *fyne.Container
}

func newSwatches(choose func(color string)) *swatches {
	s := &swatches{}
	row := container.New(layout.NewCustomPaddedHBoxLayout(8))
	for _, c := range []string{"", "#D9A441", "#CF7A4B", "#D65A7B", "#B57EDC", "#4F8FD6", "#35A7A0", "#7FB069", ""} {
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

// set marks the colour that is chosen.
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
	widget.DisableableWidget

	color         string // "" is the usual one
	chosen, focus bool
	choose        func(string)
}

var (
	_ fyne.Tappable      = (*swatch)(nil)
	_ fyne.Focusable     = (*swatch)(nil)
	_ desktop.Cursorable = (*swatch)(nil)
)

func newSwatch(c string, choose func(string)) *swatch {
	s := &swatch{color: c, choose: choose}
	s.ExtendBaseWidget(s)
	return s
}

// Tapped is for Fyne.
func (s *swatch) Tapped(*fyne.PointEvent) {
	if !s.Disabled() {
		s.choose(s.color)
	}
}

// TypedKey chooses with the space bar or Enter.
func (s *swatch) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		s.Tapped(nil)
	}
}

// The rest of what Fyne asks of a button.
func (s *swatch) TypedRune(rune)         {}
func (s *swatch) FocusGained()           { s.focus = true; s.Refresh() }
func (s *swatch) FocusLost()             { s.focus = false; s.Refresh() }
func (s *swatch) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer is for Fyne.
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
	r.fill.FillColor = colorOf(r.s.color, p.Line)
	r.ring.StrokeColor, r.ring.StrokeWidth = color.Transparent, 0
	switch {
	case r.s.chosen:
		r.ring.StrokeColor, r.ring.StrokeWidth = p.Text, 2
	case r.s.focus:
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
