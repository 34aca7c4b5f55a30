package valueview

import (
	"math"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// textPane shows a text in a monospaced font; the user can select and copy any part. It draws
// only the visible lines: Fyne's own label takes seconds for large outputs of nodes.
type textPane struct {
	widget.BaseWidget

	copy   func(text string) // nil hides the command
	text   string
	lines  []line
	cell   fyne.Size // of one letter
	fitted float32   // the width for which the lines were made
	scroll *container.Scroll

	anchor, head int // the ends of the selection, indexes in text
	focused      bool
}

var (
	_ fyne.Draggable         = (*textPane)(nil)
	_ fyne.Focusable         = (*textPane)(nil)
	_ fyne.Shortcutable      = (*textPane)(nil)
	_ fyne.SecondaryTappable = (*textPane)(nil)
	_ desktop.Mouseable      = (*textPane)(nil)
	_ desktop.Cursorable     = (*textPane)(nil)
)

func newTextPane(copyText func(string)) *textPane {
	t := &textPane{copy: copyText, lines: []line{{}}}
	t.ExtendBaseWidget(t)
	t.scroll = container.NewVScroll(t)
	t.scroll.OnScrolled = func(fyne.Position) { t.Refresh() }
	return t
}

// setText shows a text from its beginning.
func (t *textPane) setText(text string) {
	t.text, t.anchor, t.head = text, 0, 0
	t.fitted = 0
	t.fit()
	t.scroll.ScrollToTop()
	t.scroll.Refresh()
	t.Refresh()
}

// fit wraps the text at the present width.
func (t *textPane) fit() {
	t.cell = fyne.MeasureText("0", MonoSize, fyne.TextStyle{Monospace: true})
	t.cell.Height = leading + float32(math.Ceil(float64(t.cell.Height))) // letters are at whole pixels
	if room := t.Size().Width; room != t.fitted {
		t.fitted = room
		t.lines = wrap(t.text, int((room-2*textPad)/t.cell.Width))
	}
}

// selected returns the bounds of the selection.
func (t *textPane) selected() (from, to int) {
	return min(t.anchor, t.head), max(t.anchor, t.head)
}

func (t *textPane) selectPlaces(anchor, head int) {
	if t.anchor != anchor || t.head != head {
		t.anchor, t.head = anchor, head
		t.Refresh()
	}
}

// placeOf returns the index in the text at a position.
func (t *textPane) placeOf(at fyne.Position) int {
	row := min(max(int((at.Y-textPad)/t.cell.Height), 0), len(t.lines)-1)
	l := t.lines[row]
	return l.from + placeAt(t.text[l.from:l.to], (at.X-textPad)/t.cell.Width)
}

// MouseDown begins a selection, or with Shift moves its end.
func (t *textPane) MouseDown(e *desktop.MouseEvent) {
	if on := fyne.CurrentApp().Driver().CanvasForObject(t); on != nil {
		on.Focus(t)
	}
	if e.Button != desktop.MouseButtonPrimary {
		return
	}
	place := t.placeOf(e.Position)
	if e.Modifier&fyne.KeyModifierShift != 0 {
		t.selectPlaces(t.anchor, place)
	} else {
		t.selectPlaces(place, place)
	}
}

// MouseUp implements desktop.Mouseable.
func (t *textPane) MouseUp(*desktop.MouseEvent) {}

// Dragged moves the end of the selection, and scrolls the text if needed.
func (t *textPane) Dragged(e *fyne.DragEvent) {
	top, bottom := t.scroll.Offset.Y, t.scroll.Offset.Y+t.scroll.Size().Height
	switch y := e.Position.Y; {
	case y < top:
		t.scroll.ScrollToOffset(fyne.NewPos(0, max(y, 0)))
	case y > bottom:
		t.scroll.ScrollToOffset(fyne.NewPos(0, min(top+y-bottom, max(t.Size().Height-t.scroll.Size().Height, 0))))
	}
	t.selectPlaces(t.anchor, t.placeOf(e.Position))
}

// DragEnd implements fyne.Draggable.
func (t *textPane) DragEnd() {}

// Cursor implements desktop.Cursorable.
func (t *textPane) Cursor() desktop.Cursor { return desktop.TextCursor }

// FocusGained implements fyne.Focusable.
func (t *textPane) FocusGained() { t.focus(true) }

// FocusLost implements fyne.Focusable.
func (t *textPane) FocusLost() { t.focus(false) }

func (t *textPane) focus(focused bool) {
	t.focused = focused
	t.Refresh()
}

// TypedRune implements fyne.Focusable.
func (t *textPane) TypedRune(rune) {}

// TypedKey scrolls.
func (t *textPane) TypedKey(e *fyne.KeyEvent) {
	if kit.HandOn(t, e) {
		return
	}
	page := t.scroll.Size().Height - t.cell.Height
	step := map[fyne.KeyName]float32{
		fyne.KeyUp: -t.cell.Height, fyne.KeyDown: t.cell.Height, fyne.KeyPageUp: -page, fyne.KeyPageDown: page,
		fyne.KeyHome: -t.Size().Height, fyne.KeyEnd: t.Size().Height,
	}[e.Name]
	last := max(t.Size().Height-t.scroll.Size().Height, 0)
	if to := min(max(t.scroll.Offset.Y+step, 0), last); to != t.scroll.Offset.Y {
		t.scroll.ScrollToOffset(fyne.NewPos(0, to))
	}
}

// TypedShortcut copies and selects.
func (t *textPane) TypedShortcut(s fyne.Shortcut) {
	switch s.(type) {
	case *fyne.ShortcutCopy:
		t.copySelected()
	case *fyne.ShortcutSelectAll:
		t.selectPlaces(0, len(t.text))
	}
}

// TappedSecondary opens the context menu.
func (t *textPane) TappedSecondary(e *fyne.PointEvent) {
	on := fyne.CurrentApp().Driver().CanvasForObject(t)
	if on == nil || t.copy == nil {
		return
	}
	copyItem := fyne.NewMenuItem(lang.L("Copy"), t.copySelected)
	copyItem.Disabled = t.anchor == t.head
	all := fyne.NewMenuItem(lang.L("Select all"), func() { t.selectPlaces(0, len(t.text)) })
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", copyItem, all), on, e.AbsolutePosition)
}

func (t *textPane) copySelected() {
	if from, to := t.selected(); from < to && t.copy != nil {
		t.copy(t.text[from:to])
	}
}

// rows returns the range of visible lines, without the end.
func (t *textPane) rows() (from, to int) {
	if t.cell.Height <= 0 {
		return 0, 0
	}
	from = max(int((t.scroll.Offset.Y-textPad)/t.cell.Height), 0)
	to = from + int(t.scroll.Size().Height/t.cell.Height) + 2
	return min(from, len(t.lines)), min(to, len(t.lines))
}

// shownOf returns the text that is drawn for a line.
func (t *textPane) shownOf(l line) string {
	clean := func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '·'
		}
		return r
	}
	text := strings.ReplaceAll(t.text[l.from:l.to], "\t", strings.Repeat(" ", tabCells))
	if !slices.ContainsFunc([]rune(text), func(r rune) bool { return clean(r) != r }) {
		return text
	}
	return strings.Map(clean, text)
}

// CreateRenderer implements fyne.Widget.
func (t *textPane) CreateRenderer() fyne.WidgetRenderer {
	r := &textPainter{pane: t}
	r.Refresh()
	return r
}
