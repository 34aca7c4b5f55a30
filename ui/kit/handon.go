package kit

import (
	"strings"

	"fyne.io/fyne/v2"
)

// IfShown does something that needs the window. Where the press of a button takes away
// what it was pressed on, Fyne still tells it of the click, and panics where it wants to
// show a menu for it.
func IfShown(o fyne.CanvasObject, do func()) {
	if fyne.CurrentApp().Driver().CanvasForObject(o) != nil {
		do()
	}
}

// HandOn tells the window of a key that a widget has got and has no use for: Fyne tells
// nobody else. Escape and the function keys are such keys; it is false for all others.
func HandOn(from fyne.CanvasObject, e *fyne.KeyEvent) bool {
	number, function := strings.CutPrefix(string(e.Name), "F")
	if e.Name != fyne.KeyEscape && (!function || number == "") {
		return false
	}
	on := fyne.CurrentApp().Driver().CanvasForObject(from)
	if on == nil || on.OnTypedKey() == nil {
		return false
	}
	on.OnTypedKey()(e)
	return true
}
