package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
)

// Sized is the theme of the app, whichever that is by now, with some other sizes, for
// container.NewThemeOverride.
type Sized map[fyne.ThemeSizeName]float32

func (Sized) current() fyne.Theme { return fyne.CurrentApp().Settings().Theme() }

// Color implements fyne.Theme.
func (s Sized) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	return s.current().Color(name, v)
}

// Font implements fyne.Theme.
func (s Sized) Font(style fyne.TextStyle) fyne.Resource { return s.current().Font(style) }

// Icon implements fyne.Theme.
func (s Sized) Icon(name fyne.ThemeIconName) fyne.Resource { return s.current().Icon(name) }

// Size implements fyne.Theme.
func (s Sized) Size(name fyne.ThemeSizeName) float32 {
	if size, ok := s[name]; ok {
		return size
	}
	return s.current().Size(name)
}
