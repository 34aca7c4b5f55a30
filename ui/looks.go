package ui

import "fyne.io/fyne/v2"

// looks are how the window looks, as the user has chosen.
type looks struct {
	settings settings
	app      fyne.App
	views    *views
}

// Scheme returns the name of the colours.
func (l *looks) Scheme() string { return l.settings.scheme() }

// SetScheme shows everything in other colours.
func (l *looks) SetScheme(name string) {
	l.settings.setScheme(name)
	l.app.Settings().SetTheme(l.settings.theme())
	for _, w := range l.views.windows.all {
		w.views.canvas.Refresh()
		w.views.minimap.Refresh()
	}
	l.views.windows.refresh()
}

// MapShown reports whether the small map of the document is shown.
func (l *looks) MapShown() bool { return l.views.minimap.Visible() }

// ToggleMap shows the small map of the document, or hides it.
func (l *looks) ToggleMap() {
	if l.MapShown() {
		l.views.minimap.Hide()
	} else {
		l.views.minimap.Show()
	}
	l.settings.SetBool(settingMinimap, l.MapShown())
	l.views.Refresh()
}
