package palette_test

import (
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/theme"
)

var update = flag.Bool("update", false, "write the golden files")

// requireImage compares a picture with the golden one of that name.
func requireImage(t *testing.T, name string, got image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		writePNG(t, path, got)
		return
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	want, err := png.Decode(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, want.Bounds(), got.Bounds())
	if n := differing(want, got); n > 0 {
		writePNG(t, filepath.Join(t.ArtifactDir(), name+".png"), got)
		require.Fail(t, "the picture has changed", "%d pixels differ from %s; -artifacts keeps the new one, -update takes it over", n, path)
	}
}

// differing counts the pixels that an eye could tell apart: processors round
// differently.
func differing(a, b image.Image) (n int) {
	const slack = 3 << 8
	far := func(x, y uint32) bool { return max(x, y)-min(x, y) > slack }
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r, g, c, _ := a.At(x, y).RGBA()
			s, h, d, _ := b.At(x, y).RGBA()
			if far(r, s) || far(g, h) || far(c, d) {
				n++
			}
		}
	}
	return n
}

func writePNG(t *testing.T, path string, m image.Image) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, m))
	require.NoError(t, file.Close())
}

func TestLooks(t *testing.T) {
	for name, scheme := range map[string]theme.Scheme{"light": theme.Light, "dark": theme.Dark, "contrast": theme.HighContrast} {
		t.Run(name, func(t *testing.T) {
			h := show(t, scheme, palette.Config{Specs: specs(t), Recent: []string{"text.format", "microblog.search_tweets"}})
			h.search("")
			h.press(fyne.KeyDown, fyne.KeyDown)
			requireImage(t, name, h.window.Canvas().Capture())
		})
	}
}

// What is shown takes on a theme that is chosen later.
func TestThemeChanges(t *testing.T) {
	open := func(scheme theme.Scheme) fyne.Window {
		h := show(t, scheme, palette.Config{Specs: specs(t)})
		h.search("")
		h.press(fyne.KeyDown, fyne.KeyDown)
		h.window.Canvas().Unfocus() // Fyne's cursor takes on no theme
		return h.window
	}
	want := open(theme.Light).Canvas().Capture()
	window := open(theme.Dark)
	test.ApplyTheme(t, theme.New(theme.Light))
	require.Zero(t, differing(want, window.Canvas().Capture()))
}

func TestLooksSearched(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{Specs: specs(t)})
	h.search("lis")
	requireImage(t, "searched", h.window.Canvas().Capture())
}
