package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Mono is the least size of monospaced text, in dp. Fyne rounds the height of a line and
// the place of its baseline to pixels, which in smaller text cuts off the underscores of
// identifiers.
const Mono = 13.25

// MonoSized gives Fyne's own widgets in content text of at least that size.
func MonoSized(content fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(content, monoTheme{})
}

// monoTheme is the theme of the app, whichever that is by now, with larger text.
type monoTheme struct{}

func (monoTheme) current() fyne.Theme { return fyne.CurrentApp().Settings().Theme() }

// Color implements fyne.Theme.
func (t monoTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	return t.current().Color(name, v)
}

// Font implements fyne.Theme.
func (t monoTheme) Font(style fyne.TextStyle) fyne.Resource { return t.current().Font(style) }

// Icon implements fyne.Theme.
func (t monoTheme) Icon(name fyne.ThemeIconName) fyne.Resource { return t.current().Icon(name) }

// Size implements fyne.Theme.
func (t monoTheme) Size(name fyne.ThemeSizeName) float32 {
	if name == fynetheme.SizeNameText {
		return max(t.current().Size(name), Mono)
	}
	return t.current().Size(name)
}
