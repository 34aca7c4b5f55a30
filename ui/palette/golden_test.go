package palette_test

import (
	"flag"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestLooks(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			h := show(t, scheme, palette.Config{Specs: specs(t), Recent: []string{"text.format", "microblog.search_tweets"}})
			h.search("")
			uitest.Press(h.window, fyne.KeyDown, fyne.KeyDown)
			uitest.Golden(t, name, h.window.Canvas().Capture(), *update)
		})
	}
}

// Widgets follow a change of the theme.
func TestThemeChanges(t *testing.T) {
	open := func(scheme theme.Scheme) fyne.Window {
		h := show(t, scheme, palette.Config{Specs: specs(t)})
		h.search("")
		uitest.Press(h.window, fyne.KeyDown, fyne.KeyDown)
		h.window.Canvas().Unfocus() // Fyne's cursor takes on no theme
		return h.window
	}
	want := open(theme.Light).Canvas().Capture()
	window := open(theme.Dark)
	test.ApplyTheme(t, theme.New(theme.Light))
	require.Zero(t, uitest.Differing(want, window.Canvas().Capture()))
}

func TestLooksSearched(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{Specs: specs(t)})
	h.search("lis")
	uitest.Golden(t, "searched", h.window.Canvas().Capture(), *update)
}
