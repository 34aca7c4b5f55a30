package outline_test

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

	"github.com/svcflow/svc/ui/editor"
	"github.com/svcflow/svc/ui/outline"
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
			h := show(t, scheme)
			b := board(t)
			b.Selection.Replace(editor.Set{Nodes: []string{"loop"}})
			h.Update(b)
			requireImage(t, "outline-"+name, h.window.Canvas().Capture())

			if name == "light" { // and what is shown takes on a theme that is chosen later
				test.ApplyTheme(t, theme.New(theme.Dark))
				requireImage(t, "outline-dark", h.window.Canvas().Capture())
				test.ApplyTheme(t, theme.New(theme.Light))
			}
			p := outline.NewProblems(nil)
			p.Update(b)
			win := window(t, p.Object(), 320, 400)
			test.TapCanvas(win.Canvas(), fyne.NewPos(100, 30))
			requireImage(t, "problems-"+name, win.Canvas().Capture())
		})
	}
}
