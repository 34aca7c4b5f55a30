package canvas_test

import (
	"image/color"
	"math"
	"testing"

	fynecanvas "fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/theme"
)

// lines has a wire that is straight, one that is a curve, and one around a card.
const lines = `{"id":"w","nodes":[` +
	`{"id":"a","type":"text.slice","position":{"x":24,"y":24}},{"id":"b","type":"text.slice","position":{"x":400,"y":24}},` +
	`{"id":"c","type":"text.slice","position":{"x":400,"y":176}},{"id":"d","type":"text.slice","position":{"x":24,"y":340}},` +
	`{"id":"e","type":"text.slice","position":{"x":270,"y":340}},{"id":"f","type":"text.slice","position":{"x":520,"y":340}}],` +
	`"connections":[{"fromNodeId":"a","fromPort":"text","toNodeId":"b","toPort":"text"},` +
	`{"fromNodeId":"a","fromPort":"text","toNodeId":"c","toPort":"text"},` +
	`{"fromNodeId":"d","fromPort":"text","toNodeId":"f","toPort":"text"}]}`

// The painter of windows makes a slanting line as thick as this: it rounds the width, and
// one pixel at each edge is half seen.
func slanting(width float32) float64 { return math.Round(float64(width)+0.5) - 0.5 }

func TestStraightAndCurvedWiresAreEquallyThick(t *testing.T) {
	for _, zoom := range []float64{1, 2, 3.3} {
		h := show(t, theme.Light, document(t, lines), 1840, 1560)
		h.Board().View.ZoomTo(zoom, geom.Point{})
		h.Update()
		across, thick, lines := map[float32]float64{}, float32(0), 0
		ink := color.NRGBAModel.Convert(theme.LightPalette().String).(color.NRGBA)
		for _, o := range test.WidgetRenderer(h.Canvas).Objects() {
			switch o := o.(type) {
			case *fynecanvas.Line:
				if c, ok := o.StrokeColor.(color.NRGBA); !ok || c != ink {
					continue
				}
				lines++
				thick = o.StrokeWidth
				require.NotEqual(t, o.Position1.X, o.Position2.X, "upright pieces are plates")
				require.NotEqual(t, o.Position1.Y, o.Position2.Y, "level pieces are plates")
			case *fynecanvas.Rectangle:
				if c, ok := o.FillColor.(color.NRGBA); ok && c.R == ink.R && c.G == ink.G && o.Size().Width > 60 && o.CornerRadius == 0 {
					across[o.Position().X] += float64(o.Size().Height) * float64(c.A) / 0xFF
				}
			}
		}
		require.NotZero(t, lines)
		require.GreaterOrEqual(t, len(across), 2)
		for _, got := range across {
			require.InDelta(t, slanting(thick), got, 0.01, "%v", zoom)
		}
	}
}
