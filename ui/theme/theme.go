package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
)

// Scheme is a set of colours.
type Scheme uint8

// The schemes. The zero Scheme follows the system.
const (
	FollowSystem Scheme = iota
	Light
	Dark
	HighContrast
)

// Theme has the colours and sizes of a scheme for Fyne. Fonts and icons are Fyne's own.
type Theme struct {
	fyne.Theme

	scheme Scheme
}

// New returns the theme of a scheme.
func New(s Scheme) *Theme { return &Theme{Theme: fynetheme.DefaultTheme(), scheme: s} }

// Current returns the colours of the running app: those of its [Theme], or of the light or
// dark scheme if it has another theme.
func Current() Palette {
	settings := fyne.CurrentApp().Settings()
	t, ok := settings.Theme().(*Theme)
	if !ok {
		t = New(FollowSystem)
	}
	return t.Palette(settings.ThemeVariant())
}

// Palette returns the colours of t. system is the system's variant, light or dark; it matters
// for [FollowSystem] only.
func (t *Theme) Palette(system fyne.ThemeVariant) Palette {
	switch {
	case t.scheme == HighContrast:
		return HighContrastPalette()
	case t.variant(system) == fynetheme.VariantLight:
		return LightPalette()
	}
	return DarkPalette()
}

// variant returns the variant of Fyne that is nearest to the scheme.
func (t *Theme) variant(system fyne.ThemeVariant) fyne.ThemeVariant {
	switch t.scheme {
	case Light:
		return fynetheme.VariantLight
	case Dark, HighContrast:
		return fynetheme.VariantDark
	case FollowSystem:
	}
	return system
}

// Color returns the colour of a part of Fyne's widgets.
func (t *Theme) Color(name fyne.ThemeColorName, system fyne.ThemeVariant) color.Color {
	p := t.Palette(system)
	switch name {
	case fynetheme.ColorNameBackground, fynetheme.ColorNameInputBackground, fynetheme.ColorNameButton, fynetheme.ColorNameDisabledButton:
		return p.Background
	case fynetheme.ColorNameHeaderBackground, fynetheme.ColorNameMenuBackground, fynetheme.ColorNameOverlayBackground:
		return p.Panel
	case fynetheme.ColorNameSeparator, fynetheme.ColorNameInputBorder:
		return p.Line
	case fynetheme.ColorNameForeground:
		return inMenus(p.Text)
	case fynetheme.ColorNameDisabled, fynetheme.ColorNamePlaceHolder:
		return p.Legible(p.Dim)
	}
	if c, ok := p.signal(name); ok {
		return c
	}
	return t.Theme.Color(name, t.variant(system))
}

// signal returns the colours with a meaning.
func (p *Palette) signal(name fyne.ThemeColorName) (c color.Color, ok bool) {
	switch name {
	case fynetheme.ColorNamePrimary:
		return p.Accent, true
	case fynetheme.ColorNameHyperlink:
		return p.Legible(p.Accent), true
	case fynetheme.ColorNameFocus, fynetheme.ColorNameSelection:
		return Veil(p.Accent, chosen), true
	case fynetheme.ColorNameHover, fynetheme.ColorNamePressed:
		return Veil(p.Dim, lit), true
	case fynetheme.ColorNameSuccess:
		return p.OK, true
	case fynetheme.ColorNameError:
		return p.Error, true
	case fynetheme.ColorNameWarning:
		return p.Running, true
	case fynetheme.ColorNameForegroundOnPrimary, fynetheme.ColorNameForegroundOnSuccess, fynetheme.ColorNameForegroundOnError:
		return p.OnAccent, true
	}
	return nil, false
}

// Text is the size of text in Fyne's own widgets, in dp. Fyne rounds the height of a line and
// the position of its baseline to pixels, which cuts off the underscores of identifiers in
// smaller text. All widgets have the same size: Fyne would parse and keep the fonts again for
// each theme.
const Text = 13.25

// Size returns a size of Fyne's widgets, in dp: gaps of 4 and 8, text of 13.25 and of 11.5
// for captions, fields and buttons with corners of 8.
func (t *Theme) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case fynetheme.SizeNamePadding:
		return 4
	case fynetheme.SizeNameInnerPadding, fynetheme.SizeNameInputRadius:
		return 8
	case fynetheme.SizeNameText:
		return Text
	case fynetheme.SizeNameCaptionText:
		return 11.5
	case fynetheme.SizeNameSubHeadingText:
		return 14.5
	case fynetheme.SizeNameSeparatorThickness, fynetheme.SizeNameInputBorder:
		return 1
	}
	return t.Theme.Size(name)
}
