package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Mono is the least size of monospaced text, in dp. Fyne rounds the height of a line and
// the place of its baseline to pixels, which in smaller text cuts off the underscores of
// identifiers.
const Mono = 13.25

// MonoSized gives Fyne's own widgets in content text of that size.
func MonoSized(content fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(content, Sized{fynetheme.SizeNameText: Mono})
}
