package main

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw Icon.png anew")

// iconSize is the width and the height of the icon, in pixels.
const iconSize = 512

// Icon.png is what Icon.svg draws.
func TestIcon(t *testing.T) {
	test.NewTempApp(t)
	drawing, err := os.ReadFile("Icon.svg")
	require.NoError(t, err)
	c := software.NewTransparentCanvas()
	c.SetPadded(false)
	c.SetContent(canvas.NewImageFromResource(fyne.NewStaticResource("Icon.svg", drawing)))
	c.Resize(fyne.NewSquareSize(iconSize))
	drawn := c.Capture()
	if *update {
		var file bytes.Buffer
		require.NoError(t, png.Encode(&file, drawn))
		require.NoError(t, os.WriteFile("Icon.png", file.Bytes(), 0o644))
	}
	file, err := os.ReadFile("Icon.png")
	require.NoError(t, err)
	kept, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, iconSize, iconSize), kept.Bounds())
	for y := range iconSize {
		for x := range iconSize {
			require.Equal(t, drawn.At(x, y), kept.At(x, y), "at %d,%d: draw it with -update", x, y)
		}
	}
}
