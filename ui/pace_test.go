package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"
)

// Without a graphics card not each move of the mouse is drawn, but the last one always is.
func TestDrawingIsLimitedToThePace(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dir, func(c *Config) { c.Pace = time.Second / 40 })
		defer b.finish()
		b.opens(chained)
		on, pictures := b.views.canvas, 0
		on.OnView = func() { pictures++ }
		on.OnChange = on.OnView
		b.wait(time.Second)
		wheel := &fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -10)}
		before := b.board().View.Zoom
		for range 5 {
			on.Scrolled(wheel)
		}
		require.Equal(t, 1, pictures)
		require.Less(t, b.board().View.Zoom, before/1.9, "all count")
		b.wait(time.Second)
		require.Equal(t, 2, pictures, "and all are seen")
		on.Scrolled(wheel)
		require.Equal(t, 3, pictures, "what comes later is drawn at once")

		b.wait(time.Second)
		pictures = 0
		at := func(x float32) fyne.PointEvent { return fyne.PointEvent{Position: fyne.NewPos(400+x, 20)} }
		on.MouseDown(&desktop.MouseEvent{PointEvent: at(0), Button: desktop.MouseButtonTertiary})
		pan := b.board().View.Pan
		for x := range 10 {
			on.Dragged(&fyne.DragEvent{PointEvent: at(float32(10 * x))})
		}
		on.MouseUp(&desktop.MouseEvent{PointEvent: at(90), Button: desktop.MouseButtonTertiary})
		require.InDelta(t, pan.X+90, b.board().View.Pan.X, 0.1)
		require.Equal(t, 3, pictures, "the press, the first move, and the end")
		b.wait(time.Second)
		require.Equal(t, 3, pictures, "nothing is left to be seen")
	})
}
