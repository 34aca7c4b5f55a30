package kit

import (
	"strings"

	"fyne.io/fyne/v2"
)

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
