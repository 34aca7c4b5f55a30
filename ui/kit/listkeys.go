package kit

import (
	"time"

	"fyne.io/fyne/v2"
)

// TypedKey moves through the rows, and chooses the current one.
func (l *List) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeyHome:
		l.goTo(l.next(0, 1))
	case e.Name == fyne.KeyEnd:
		l.goTo(l.next(l.len()-1, -1))
	case e.Name == fyne.KeySpace:
		l.chooseCurrent()
	case e.Name == fyne.KeyEscape && l.rows.Escaped != nil:
		l.rows.Escaped()
	case !HandOn(l, e):
		l.lead(e.Name)
	}
}

// lead handles the keys that a field above the list passes on, too, and reports whether it
// did.
func (l *List) lead(key fyne.KeyName) bool {
	switch key {
	case fyne.KeyDown:
		l.goTo(l.next(l.current+1, 1))
	case fyne.KeyUp:
		l.goTo(l.next(l.current-1, -1))
	case fyne.KeyPageDown:
		l.page(1)
	case fyne.KeyPageUp:
		l.page(-1)
	case fyne.KeyReturn, fyne.KeyEnter:
		l.chooseCurrent()
	default:
		return false
	}
	return true
}

// TypedRune implements fyne.Focusable.
func (l *List) TypedRune(rune) {}

// FocusGained implements fyne.Focusable.
func (l *List) FocusGained() {
	l.setActive(true)
	if l.current < 0 {
		l.SetCurrent(l.next(0, 1))
	}
}

// FocusLost implements fyne.Focusable.
func (l *List) FocusLost() { l.setActive(false) }

// setActive shows whether keys move through the list.
func (l *List) setActive(active bool) {
	l.active = active
	l.repaint(l.current)
}

// next returns the first row from i on, in the direction of step, that can be the current
// one; -1 if none can.
func (l *List) next(i, step int) int {
	for ; i >= 0 && i < l.len(); i += step {
		if !l.inert(i) {
			return i
		}
	}
	return -1
}

// page moves by the number of visible rows.
func (l *List) page(step int) {
	from := max(l.current, 0)
	i := from
	for room := l.scroll.Size().Height; i+step >= 0 && i+step < l.len(); i += step {
		room -= l.tops[i+1] - l.tops[i]
		if room < l.tops[i+step+1]-l.tops[i+step] && i != from {
			break
		}
	}
	to := l.next(i, step)
	if to < 0 {
		to = l.next(i, -step)
	}
	l.goTo(to)
}

// goTo makes a row the current one, for the user.
func (l *List) goTo(i int) {
	if i < 0 {
		return
	}
	changed := l.current != i
	l.SetCurrent(i)
	if changed {
		l.tell(l.rows.Selected, i)
	}
}

func (l *List) chooseCurrent() {
	if i := l.current; i >= 0 && i < l.len() {
		l.tell(l.rows.Chosen, i)
	}
}

func (*List) tell(whom func(int), i int) {
	if whom != nil {
		whom(i)
	}
}

// tapped handles a click on a row. It does not wait for a second one: the first selects at
// once.
func (l *List) tapped(i int) {
	if i >= l.len() || l.inert(i) {
		return
	}
	driver := fyne.CurrentApp().Driver()
	if on := driver.CanvasForObject(l); on != nil && !l.passive {
		on.Focus(l)
	}
	again := l.click.row == i && time.Since(l.click.at) <= driver.DoubleTapDelay()
	l.click = click{i, time.Now()}
	if again {
		l.click.row = -1
	}
	if !again || l.current != i {
		l.SetCurrent(i)
		l.tell(l.rows.Selected, i) // also for the current row: its subject may be out of sight elsewhere
	}
	if again || l.rows.OneClick {
		l.chooseCurrent()
	}
}

// dragged handles the drag of a row.
func (l *List) dragged(i int, at fyne.Position) {
	if l.rows.Dragged == nil || l.inert(i) {
		return
	}
	if !l.drag.on {
		l.drag.on, l.drag.row = true, i
	}
	l.drag.at = at
	l.rows.Dragged(l.drag.row, at)
}

func (l *List) dropped() {
	if !l.drag.on {
		return
	}
	l.drag.on = false
	if l.rows.Dropped != nil {
		l.rows.Dropped(l.drag.row, l.drag.at)
	}
}
