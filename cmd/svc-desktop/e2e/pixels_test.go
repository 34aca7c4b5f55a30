//go:build e2e && linux

package e2e_test

import (
	"image"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// canvasArea is the upper part of the canvas in a window of 1280×800, above the map.
func canvasArea() image.Rectangle { return image.Rect(233, 104, 959, 490) }

// The circles of service nodes are 64 pixels wide at 100 %, in exactly the colours of
// their services. A workflow that fits is opened at that zoom, wherever its nodes are.
func TestCircles(t *testing.T) {
	const proNet, microblog = 0x0A66C2, 0x000000
	for _, theme := range []string{"dark", "light"} {
		t.Run(theme, func(t *testing.T) {
			d := xtest.Start(t, 1280, 800)
			d.Setenv("FYNE_THEME", theme)
			file := d.Home("flow.json")
			require.NoError(t, os.WriteFile(file, []byte(`{"id": "circles", "name": "Circles", "connections": [], "nodes": [
				{"id": "pro", "type": "pronet.fetch_profile", "position": {"x": 4000, "y": -3000}},
				{"id": "micro", "type": "microblog.get_trending", "position": {"x": 4240, "y": -3000}}
			]}`), 0o600))
			p := d.Open(file)
			for _, color := range []uint32{proNet, microblog} {
				place(d, "a circle", canvasArea(), color)
			}
			d.Park()
			s := d.Settled()
			for _, color := range []uint32{proNet, microblog} {
				hairline := 0
				if theme == "dark" && color == microblog {
					hairline = 1 // within the circle: black on black
				}
				checkCircle(t, s, s.Where(canvasArea(), color), color, hairline)
			}
			require.Zero(t, p.Stop(), p.Log())
		})
	}
}

// checkCircle checks the size and shape of a circle that was found. Its edge is
// smoothed and may have a hairline, and ports on it and an icon in it hide some of it.
func checkCircle(t *testing.T, s *xtest.Screen, at image.Rectangle, rgb uint32, hairline int) {
	t.Helper()
	const size, smooth = 64, 2
	require.InDelta(t, size-2*hairline-smooth/2, at.Dy(), smooth/2, "%06X from top to bottom", rgb)
	require.InDelta(t, size-2*hairline-smooth, at.Dx(), smooth, "%06X from port to port", rgb)
	const area = size * size * math.Pi / 4
	require.InDelta(t, area*0.8, s.Count(at, rgb), area*0.2, "%06X is what it is filled with", rgb)
	const corner = size / 8
	for _, x := range []int{at.Min.X, at.Max.X - corner} {
		for _, y := range []int{at.Min.Y, at.Max.Y - corner} {
			require.Zero(t, s.Count(image.Rect(x, y, x+corner, y+corner), rgb), "%06X is round", rgb)
		}
	}
}
