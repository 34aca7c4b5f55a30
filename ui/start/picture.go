package start

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/theme"
)

// picture shows a workflow as on the canvas, small and without texts.
type picture struct {
	widget.BaseWidget

	document *doc.Document
}

func newPicture(def *workflow.Definition, specs *doc.Specs) *picture {
	if specs == nil {
		specs = doc.NewSpecs(nil, nil)
	}
	p := &picture{document: doc.New(def, specs)}
	p.ExtendBaseWidget(p)
	return p
}

const pictureHeight = 96

// CreateRenderer implements fyne.Widget.
func (p *picture) CreateRenderer() fyne.WidgetRenderer {
	r := &pictureRenderer{ground: canvas.NewRectangle(color.Transparent)}
	r.drawing = canvas.NewRaster(func(w, h int) image.Image {
		colors := theme.Current()
		return drawn(p.document, &colors, w, h, float64(p.Size().Width))
	})
	r.ground.CornerRadius = 7
	r.ground.FillColor = theme.Current().Canvas
	return r
}

type pictureRenderer struct {
	ground  *canvas.Rectangle
	drawing *canvas.Raster
}

func (r *pictureRenderer) Refresh() {
	r.ground.FillColor = theme.Current().Canvas
	r.ground.Refresh()
	r.drawing.Refresh()
}

func (r *pictureRenderer) Layout(size fyne.Size) {
	r.ground.Resize(size)
	r.drawing.Resize(size)
}

func (r *pictureRenderer) MinSize() fyne.Size { return fyne.NewSize(0, pictureHeight) }
func (r *pictureRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.drawing}
}
func (r *pictureRenderer) Destroy() {}

// drawn returns a picture of a workflow, w by h pixels, to be shown width dp wide.
func drawn(d *doc.Document, colors *theme.Palette, w, h int, width float64) image.Image {
	const margin, largest = 10, 0.6
	bounds := d.Bounds()
	s := sketch{image: image.NewRGBA(image.Rect(0, 0, w, h)), colors: colors}
	if bounds.Empty() || width <= 0 {
		return s.image
	}
	s.pixels = float64(w) / width
	height := float64(h) / s.pixels
	s.scale = min((width-2*margin)/bounds.W(), (height-2*margin)/bounds.H(), largest)
	if s.scale <= 0 {
		return s.image
	}
	// The board draws at full size, with all parts, and the sketch scales down.
	room := geom.Point{X: width, Y: height}.Scale(1 / s.scale)
	board := board.New(d, room.X, room.Y)
	board.View.Pan = room.Scale(0.5).Sub(bounds.Center())
	for _, item := range board.Draw() {
		s.add(&item)
	}
	return s.image
}
