package kit

import (
	"strings"

	"fyne.io/fyne/v2"
)

// HandOn tells the window of a function key that a field has got: Fyne tells nobody
// else, and a field has no use for it. It is false for all other keys.
func HandOn(from fyne.CanvasObject, e *fyne.KeyEvent) bool {
	number, ok := strings.CutPrefix(string(e.Name), "F")
	if !ok || number == "" {
		return false
	}
	on := fyne.CurrentApp().Driver().CanvasForObject(from)
	if on == nil || on.OnTypedKey() == nil {
		return false
	}
	on.OnTypedKey()(e)
	return true
}
