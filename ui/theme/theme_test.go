package theme_test

import (
	"encoding/xml"
	"image/color"
	"testing"

	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/theme"
)

func TestTextCanBeRead(t *testing.T) {
	tests := []struct {
		name    string
		palette theme.Palette
		least   float64
	}{
		{"light", theme.LightPalette(), 4.5},
		{"dark", theme.DarkPalette(), 4.5},
		{"high contrast", theme.HighContrastPalette(), 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.palette
			for _, on := range []color.NRGBA{p.Background, p.Panel, p.Card, p.Canvas} {
				require.GreaterOrEqual(t, theme.Contrast(p.Text, on), 7.0)
				require.GreaterOrEqual(t, theme.Contrast(p.Dim, on), tt.least, "dim text")
			}
		})
	}
}

// Text in the colour of a group or node type is readable, whatever colour that is.
func TestLegible(t *testing.T) {
	for _, p := range []theme.Palette{theme.LightPalette(), theme.DarkPalette(), theme.HighContrastPalette()} {
		require.Equal(t, p.Text, p.Legible(p.Text))
		for _, c := range []color.NRGBA{p.Dim, p.Accent, p.OK, p.Error, p.Running, p.List, p.Media, p.Canvas, p.Line, theme.RGB(0x777777), theme.Veil(p.Text, 0x50)} {
			made := p.Legible(c)
			require.EqualValues(t, 0xFF, made.A)
			for _, on := range []color.NRGBA{p.Background, p.Panel, p.Card, p.Canvas, theme.Over(theme.Veil(made, 0x2E), p.Panel)} {
				require.GreaterOrEqual(t, theme.Contrast(made, on), p.MinContrast)
			}
		}
	}
}

func TestHighContrastShowsEveryLine(t *testing.T) {
	p := theme.HighContrastPalette()
	for name, c := range map[string]color.NRGBA{
		"line": p.Line, "hairline": p.Hairline, "accent": p.Accent, "ok": p.OK, "error": p.Error, "running": p.Running,
		"string": p.String, "int": p.Int, "float": p.Float, "bool": p.Bool, "list": p.List, "record": p.Record,
		"any": p.Any, "credential": p.Credential, "media": p.Media,
	} {
		require.GreaterOrEqual(t, theme.Contrast(c, p.Canvas), 7.0, name)
	}
	require.GreaterOrEqual(t, theme.Contrast(p.OnAccent, p.Accent), 7.0)
}

func TestSchemes(t *testing.T) {
	light, dark := fynetheme.VariantLight, fynetheme.VariantDark
	require.Equal(t, theme.LightPalette(), theme.New(theme.FollowSystem).Palette(light))
	require.Equal(t, theme.DarkPalette(), theme.New(theme.FollowSystem).Palette(dark))
	require.Equal(t, theme.LightPalette(), theme.New(theme.Light).Palette(dark))
	require.Equal(t, theme.DarkPalette(), theme.New(theme.Dark).Palette(light))
	require.Equal(t, theme.HighContrastPalette(), theme.New(theme.HighContrast).Palette(light))
}

func TestThemeGivesFyneItsColors(t *testing.T) {
	dark := theme.New(theme.Dark)
	require.Equal(t, color.NRGBA{0xE6, 0xE9, 0xEF, 0xFF}, color.NRGBAModel.Convert(dark.Color(fynetheme.ColorNameForeground, fynetheme.VariantLight)))
	require.Equal(t, color.NRGBA{0x4C, 0x8D, 0xFF, 0xFF}, dark.Color(fynetheme.ColorNamePrimary, fynetheme.VariantLight))
	require.InDelta(t, 13.25, dark.Size(fynetheme.SizeNameText), 0)
	require.NotNil(t, dark.Color(fynetheme.ColorNameShadow, fynetheme.VariantLight), "what is not named is Fyne's")
}

func TestCurrentFollowsTheApp(t *testing.T) {
	app := test.NewTempApp(t)
	for scheme, want := range map[theme.Scheme]theme.Palette{theme.Light: theme.LightPalette(), theme.HighContrast: theme.HighContrastPalette()} {
		app.Settings().SetTheme(theme.New(scheme))
		require.Equal(t, want, theme.Current())
	}
}

func TestIconsAreDrawingsInTheColorAskedFor(t *testing.T) {
	blue := color.NRGBA{0x0A, 0x66, 0xC2, 0xFF}
	require.Contains(t, theme.Icons(), "chat")
	for _, name := range theme.Icons() {
		r := theme.Icon(name, blue)
		require.Equal(t, name+"-0a66c2.svg", r.Name())
		require.NoError(t, xml.Unmarshal(r.Content(), new(struct{})), name)
		require.Contains(t, string(r.Content()), "#0a66c2", name)
		require.NotContains(t, string(r.Content()), "#ffffff", name)
	}
	own := theme.Icon(`<svg viewBox="0 0 24 24"><path fill="#ffffff" d="M2 2h20z"/></svg>`, blue)
	require.Equal(t, `<svg viewBox="0 0 24 24"><path fill="#0a66c2" d="M2 2h20z"/></svg>`, string(own.Content()))
	require.NotEqual(t, own.Name(), theme.Icon(`<svg viewBox="0 0 24 24"><path fill="#ffffff" d="M2 2h9z"/></svg>`, blue).Name())
	require.Equal(t, "node-0a66c2.svg", theme.Icon("../theme.go", blue).Name(), "a name is no path")
}
