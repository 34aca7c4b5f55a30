package uitest

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
)

// Covered returns the texts of an object that are covered: by another text, by something
// painted later, or by the edge of their container. Objects for which skip is true are not
// looked at, such as a board, where parts may overlap.
func Covered(t testing.TB, in fyne.CanvasObject, skip func(fyne.CanvasObject) bool) (bad []string) {
	t.Helper()
	relay(in)
	relay(in) // heights that depend on widths
	s := &stacker{skip: skip}
	s.walk(in, fyne.Position{}, boxOf(fyne.Position{}, in.Size()), false)
	return s.bad
}

// relay repeats the layout, as Fyne's real windows do when a text has become longer; those of
// its tests do not.
func relay(o fyne.CanvasObject) {
	switch o := o.(type) {
	case *fyne.Container:
		if o.Layout != nil {
			o.Layout.Layout(o.Objects, o.Size())
		}
		for _, part := range o.Objects {
			relay(part)
		}
	case fyne.Widget:
		r := test.WidgetRenderer(o)
		r.Layout(o.Size())
		for _, part := range r.Objects() {
			relay(part)
		}
	}
}

// stacker walks through a window in painting order.
type stacker struct {
	skip    func(fyne.CanvasObject) bool
	written []writing
	bad     []string
}

type writing struct {
	box
	text string
}

// walk looks at an object. Contents of scroll containers may extend beyond them.
func (s *stacker) walk(o fyne.CanvasObject, at fyne.Position, room box, scrolls bool) {
	if o == nil || !o.Visible() || s.skip(o) {
		return
	}
	at = at.Add(o.Position())
	switch o := o.(type) {
	case *canvas.Text:
		s.write(o, at, room, scrolls)
	case *canvas.Rectangle:
		if o.FillColor != nil && rgba(o.FillColor).A == 0xFF {
			s.cover(boxOf(at, o.Size()).within(room))
		}
	case *fyne.Container:
		for _, part := range o.Objects {
			s.walk(part, at, room, scrolls)
		}
	case fyne.Widget:
		switch o.(type) {
		case *container.Scroll:
			room, scrolls = room.within(boxOf(at, o.Size())), true
		case *container.Clip:
			room = room.within(boxOf(at, o.Size()))
		}
		for _, part := range test.WidgetRenderer(o).Objects() {
			s.walk(part, at, room, scrolls)
		}
	}
}

// slack is how much texts may overlap, in dp: the boxes of letters are larger than the
// letters.
const slack = 3

func (b box) crosses(a box) bool {
	w := b.within(a)
	return w.max.X-w.min.X > slack && w.max.Y-w.min.Y > slack
}

func (s *stacker) write(t *canvas.Text, at fyne.Position, room box, scrolls bool) {
	if t.Text == "" {
		return
	}
	size, free := t.MinSize(), t.Size()
	switch t.Alignment {
	case fyne.TextAlignCenter:
		at.X += (free.Width - size.Width) / 2
	case fyne.TextAlignTrailing:
		at.X += free.Width - size.Width
	case fyne.TextAlignLeading:
	}
	at.Y += max(free.Height-size.Height, 0) / 2
	is := boxOf(at, size)
	seen := is.within(room)
	if !scrolls && (seen.max.X-seen.min.X < size.Width-slack || seen.max.Y-seen.min.Y < size.Height-slack) {
		s.say("%q runs out of its room", t.Text)
	}
	for _, other := range s.written {
		if other.crosses(seen) {
			s.say("%q and %q lie over each other", other.text, t.Text)
		}
	}
	if seen.max.X > seen.min.X && seen.max.Y > seen.min.Y {
		s.written = append(s.written, writing{seen, t.Text})
	}
}

// cover records what covers earlier texts.
func (s *stacker) cover(b box) {
	for _, w := range s.written {
		if b.crosses(w.box) {
			s.say("something lies over %q", w.text)
		}
	}
}

func (s *stacker) say(format string, args ...any) {
	s.bad = append(s.bad, fmt.Sprintf(format, args...))
}
