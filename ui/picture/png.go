package picture

import (
	"image"
	"image/color"
	"image/png"
	"io"

	"fyne.io/fyne/v2"
	fynecanvas "fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"

	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/theme"
)

// writePNG writes a sheet as the window paints it, at two pixels per dp.
func writePNG(to io.Writer, s *sheet) error {
	w, h := s.size()
	return png.Encode(to, painted(canvas.New(s.board), fyne.NewSize(float32(w), float32(h)), float32(s.scale)))
}

// drawing returns an icon with a side in pixels.
func drawing(name string, ink color.NRGBA, side int) image.Image {
	i := fynecanvas.NewImageFromResource(theme.Icon(name, ink))
	i.Translucency = 1 - float64(ink.A)/0xFF
	return painted(i, fyne.NewSquareSize(float32(max(side, 1))), 1)
}

// painted paints an object in software, on a transparent background.
func painted(o fyne.CanvasObject, size fyne.Size, scale float32) image.Image {
	on := software.NewTransparentCanvas()
	on.SetPadded(false)
	on.SetScale(scale)
	on.SetContent(o)
	on.Resize(size)
	return on.Capture()
}
