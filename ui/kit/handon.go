package kit

import (
	"strings"

	"fyne.io/fyne/v2"
)

// IfShown runs do if o is still in a window. If pressing a button removes the widget, Fyne
// still sends it the click, and panics if it wants to show a menu for it.
func IfShown(o fyne.CanvasObject, do func()) {
	if fyne.CurrentApp().Driver().CanvasForObject(o) != nil {
		do()
	}
}

// HandOn passes an unused key of a widget to the window, which Fyne does not do. It handles
// Escape and the function keys, and returns false for all others.
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
