package canvas_test

import (
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	fynecanvas "fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/editor"
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

// run is a run of fans that has come halfway.
func run() *editor.Overlay {
	o := editor.NewOverlay()
	for _, e := range []engine.Event{
		{Name: engine.EventNode, NodeID: "term", Status: engine.StatusSucceeded, Duration: 100 * time.Microsecond, Outputs: map[string]any{"value": "go"}},
		{Name: engine.EventNode, NodeID: "posts", Status: engine.StatusSucceeded, Duration: 342 * time.Millisecond, Outputs: map[string]any{"tweets": make([]any, 12)}},
		{Name: engine.EventNode, NodeID: "filter", Status: engine.StatusFailed, Duration: 2 * time.Millisecond, Error: &engine.Failure{Message: "no such field"}},
		{Name: engine.EventStarted, NodeID: "send"},
		{Name: engine.EventProgress, NodeID: "send", Step: 3, Total: 5},
		{Name: engine.EventNode, NodeID: "off", Status: engine.StatusSkipped},
	} {
		o.Apply(e)
	}
	return o
}

func TestGoldens(t *testing.T) {
	schemes := []struct {
		name   string
		scheme theme.Scheme
	}{{"light", theme.Light}, {"dark", theme.Dark}, {"contrast", theme.HighContrast}}
	states := []struct {
		name string
		set  func(t *testing.T, h *hand)
	}{
		{"plain", func(*testing.T, *hand) {}},
		{"run", func(_ *testing.T, h *hand) { h.Board().Run = run() }},
		{"hover", func(t *testing.T, h *hand) {
			h.Board().Selection.Replace(editor.Set{Nodes: []string{"filter", "send"}, Notes: []string{"n"}})
			h.MouseMoved(mouse(h.middle(t, "posts"), 0, 0))
		}},
	}
	for _, s := range schemes {
		for _, state := range states {
			t.Run(state.name+"-"+s.name, func(t *testing.T) {
				h := show(t, s.scheme, document(t, fans), 840, 560)
				state.set(t, h)
				h.Update()
				requireImage(t, state.name+"-"+s.name, h.window.Canvas().Capture())
			})
		}
	}
}

// The service nodes are circles 64dp wide, in the colour of their network.
func TestServiceCirclesAreExact(t *testing.T) {
	for id, want := range map[string]color.NRGBA{"send": {R: 0x0A, G: 0x66, B: 0xC2, A: 0xFF}, "posts": {A: 0xFF}} {
		t.Run(id, func(t *testing.T) {
			h := show(t, theme.Light, document(t, fans), 840, 560)
			picture := h.window.Canvas().Capture()
			middle := h.middle(t, id)
			x, y := int(middle.X), int(middle.Y)
			at := func(dx, dy int) color.NRGBA { return color.NRGBAModel.Convert(picture.At(x+dx, y+dy)).(color.NRGBA) }
			const radius = 32
			require.Equal(t, want, at(0, -radius+1), "inside, at the top")
			require.Equal(t, want, at(0, radius-2), "inside, at the bottom")
			canvas := theme.LightPalette().Canvas
			require.NotEqual(t, want, at(0, -radius-1), "outside, at the top")
			require.NotEqual(t, want, at(0, radius+1), "outside, at the bottom")
			require.Equal(t, fyne.NewSquareSize(2*radius), circleAt(t, h, middle), "ports hide its left and right edge")
			if id == "send" { // nothing lies behind it
				require.Equal(t, canvas, at(0, -radius-2))
			}
		})
	}
}

// circleAt returns the size of the lowest circle that is drawn around a place.
func circleAt(t *testing.T, h *hand, middle fyne.Position) fyne.Size {
	t.Helper()
	for _, o := range test.WidgetRenderer(h.Canvas).Objects() {
		c, ok := o.(*fynecanvas.Circle)
		if ok && c.Position1.AddXY(c.Size().Width/2, c.Size().Height/2) == middle {
			return c.Size()
		}
	}
	require.Fail(t, "no circle is drawn there")
	return fyne.Size{}
}
