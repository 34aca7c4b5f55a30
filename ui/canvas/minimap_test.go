package canvas_test

import (
	"image/color"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

func shownMap(t *testing.T) (*driver, *canvas.Minimap, fyne.Window) {
	t.Helper()
	h := show(t, theme.Dark, document(t, fans), 840, 560)
	m := canvas.NewMinimap(h.Canvas)
	return h, m, uitest.Window(t, m, 160, 96)
}

func TestMinimapGolden(t *testing.T) {
	h, m, w := shownMap(t)
	h.Board().View.ZoomTo(1.8, h.Board().View.ToScreen(h.Board().Document().Bounds().Center()))
	m.Update()
	uitest.Golden(t, "minimap-dark", w.Canvas().Capture(), *update)
}

func TestMinimapMovesTheView(t *testing.T) {
	h, m, _ := shownMap(t)
	m.Tapped(&fyne.PointEvent{Position: fyne.NewPos(80, 48)})
	want, got := h.Board().Document().Bounds().Center(), h.Board().View.Visible().Center()
	require.InDelta(t, want.X, got.X, 1)
	require.InDelta(t, want.Y, got.Y, 1)
	m.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(90, 48)}})
	require.Greater(t, h.Board().View.Visible().Center().X, want.X+10)
	require.Equal(t, 2, h.changes, "the window is told")
}

func TestMinimapFollowsTheDocument(t *testing.T) {
	h, m, w := shownMap(t)
	blue := color.NRGBA{R: 0x0A, G: 0x66, B: 0xC2, A: 0xFF}
	count := func() (n int) {
		picture := w.Canvas().Capture()
		for y := range picture.Bounds().Dy() {
			for x := range picture.Bounds().Dx() {
				if color.NRGBAModel.Convert(picture.At(x, y)) == blue {
					n++
				}
			}
		}
		return n
	}
	require.Positive(t, count())
	h.Board().Show("send")
	require.NoError(t, h.Board().Delete())
	m.Update()
	require.Zero(t, count())
}

func TestMinimapOfNothingIsEmpty(t *testing.T) {
	h := show(t, theme.Dark, document(t, `{"id":"empty","nodes":[],"connections":[]}`), 400, 300)
	m := canvas.NewMinimap(h.Canvas)
	test.NewTempWindow(t, m).Resize(fyne.NewSize(160, 96))
	before := h.Board().View
	m.Tapped(&fyne.PointEvent{Position: fyne.NewPos(10, 10)})
	require.Equal(t, before, h.Board().View)
}
