package palette_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

// pictured returns the node types that the pictures show. The list is fixed, so that
// a new node changes no picture.
func pictured(t *testing.T) *doc.Specs {
	t.Helper()
	list, err := os.ReadFile("testdata/types.txt")
	require.NoError(t, err)
	registry := uitest.Registry(t)
	var specs []*node.Spec
	for typ := range strings.Lines(string(list)) {
		n, ok := registry.Lookup(strings.TrimSpace(typ))
		require.True(t, ok, "testdata/types.txt names %s, which does not exist", typ)
		specs = append(specs, &n.Spec)
	}
	return doc.NewSpecs(specs, cards.BoundPorts(registry))
}

func TestLooks(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			h := show(t, scheme, palette.Config{Specs: pictured(t), Recent: []string{"text.format", "microblog.search_tweets"}})
			h.search("")
			uitest.Press(h.window, fyne.KeyDown, fyne.KeyDown)
			uitest.Golden(t, name, h.window.Canvas().Capture(), *update)
		})
	}
}

// Widgets follow a change of the theme.
func TestThemeChanges(t *testing.T) {
	open := func(scheme theme.Scheme) fyne.Window {
		h := show(t, scheme, palette.Config{Specs: pictured(t)})
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
	h := show(t, theme.Dark, palette.Config{Specs: pictured(t)})
	h.search("lis")
	uitest.Golden(t, "searched", h.window.Canvas().Capture(), *update)
}
