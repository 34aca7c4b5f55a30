package ui

import (
	"encoding/json"
	"os"

	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/ui/commands"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// settings are the user's settings, in the preferences of the app. They hold no secrets.
type settings struct{ fyne.Preferences }

// The names of settings.
const (
	settingScheme  = "scheme"
	settingKeys    = "keys"
	settingSides   = "sides"
	settingTypes   = "recentTypes"
	settingMinimap = "minimap"
)

func schemeOf(name string) theme.Scheme {
	switch name {
	case commands.SchemeLight:
		return theme.Light
	case commands.SchemeDark:
		return theme.Dark
	case commands.SchemeContrast:
		return theme.HighContrast
	}
	return theme.FollowSystem
}

func (s settings) scheme() string { return s.StringWithFallback(settingScheme, commands.SchemeSystem) }

func (s settings) setScheme(name string) { s.SetString(settingScheme, name) }

// theme returns the chosen theme. FYNE_THEME overrides it for one start.
func (s settings) theme() *theme.Theme {
	name := s.scheme()
	if forced := os.Getenv("FYNE_THEME"); forced != "" && name == commands.SchemeSystem {
		name = forced
	}
	return theme.New(schemeOf(name))
}

// Load implements command.Keymap.
func (s settings) Load() map[string]string {
	keys := map[string]string{}
	s.read(settingKeys, &keys)
	return keys
}

// Save implements command.Keymap.
func (s settings) Save(keys map[string]string) { s.write(settingKeys, keys) }

func (s settings) sides() kit.Sides {
	sides := kit.DefaultSides()
	s.read(settingSides, &sides)
	return sides
}

func (s settings) setSides(sides kit.Sides) { s.write(settingSides, sides) }

func (s settings) read(name string, into any) {
	if err := json.Unmarshal([]byte(s.String(name)), into); err != nil {
		return // it was never set, or by another version of the program
	}
}

func (s settings) write(name string, v any) {
	if text, err := json.Marshal(v); err == nil { // marshalling plain data cannot fail
		s.SetString(name, string(text))
	}
}

// themeCommands are how the window looks, as the user has chosen.
type themeCommands struct {
	settings settings
	app      fyne.App
	views    *views
}

// Scheme returns the name of the colour scheme.
func (l *themeCommands) Scheme() string { return l.settings.scheme() }

// SetScheme switches to another colour scheme.
func (l *themeCommands) SetScheme(name string) {
	l.settings.setScheme(name)
	l.app.Settings().SetTheme(l.settings.theme())
	for _, w := range l.views.windows.all {
		w.views.canvas.Refresh()
		w.views.minimap.Refresh()
	}
	l.views.windows.refresh()
}

// MapShown reports whether the minimap is shown.
func (l *themeCommands) MapShown() bool { return l.views.minimap.Visible() }

// ToggleMap shows or hides the minimap.
func (l *themeCommands) ToggleMap() {
	if l.MapShown() {
		l.views.minimap.Hide()
	} else {
		l.views.minimap.Show()
	}
	l.settings.SetBool(settingMinimap, l.MapShown())
	l.views.Refresh()
}
