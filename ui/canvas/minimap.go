package canvas

import (
	"image"
	"image/color"
	"image/draw"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

// Minimap shows the outermost visible level in small, and the part of it that a [Canvas]
// shows. A press or drag moves that part. The zero value is not usable; see [NewMinimap].
type Minimap struct {
	widget.BaseWidget

	canvas *Canvas
	ground *canvas.Rectangle
	nodes  *canvas.Raster
	frame  *canvas.Rectangle
	colors colors
	drawn  drawing
}

// drawing identifies what a picture of the nodes was made from.
type drawing struct {
	document *doc.Document
	revision int
	size     fyne.Size
}

// NewMinimap returns a map of what c shows.
func NewMinimap(c *Canvas) *Minimap {
	m := &Minimap{canvas: c, ground: canvas.NewRectangle(nil), frame: canvas.NewRectangle(nil)}
	m.nodes = canvas.NewRaster(m.draw)
	m.ground.CornerRadius, m.ground.StrokeWidth, m.frame.StrokeWidth = 8, 1, 1
	m.restyle()
	m.ExtendBaseWidget(m)
	return m
}

// Update follows the canvas. Call it from [Canvas.OnChange] and after [Canvas.Update]. The
// nodes are drawn again only if the document has changed.
func (m *Minimap) Update() {
	m.showFrame()
	document := m.canvas.board.Document()
	now := drawing{document, document.Revision(), m.Size()}
	if now != m.drawn {
		m.drawn = now
		m.nodes.Refresh()
	}
}

// Refresh adopts the colours of the theme.
func (m *Minimap) Refresh() {
	m.restyle()
	m.drawn = drawing{}
	m.Update()
}

// Resize gives the map another size.
func (m *Minimap) Resize(size fyne.Size) {
	m.BaseWidget.Resize(size)
	m.ground.Resize(size)
	m.nodes.Resize(size)
	m.Update()
}

// MinSize returns the size of the map.
func (m *Minimap) MinSize() fyne.Size { return fyne.NewSize(160, 80) }

// CreateRenderer implements fyne.Widget.
func (m *Minimap) CreateRenderer() fyne.WidgetRenderer {
	return &mapRenderer{m}
}

// Tapped moves the view to the pressed point.
func (m *Minimap) Tapped(e *fyne.PointEvent) { m.goTo(e.Position) }

// Dragged moves the view to the pointer.
func (m *Minimap) Dragged(e *fyne.DragEvent) { m.goTo(e.Position) }

// DragEnd implements fyne.Draggable.
func (m *Minimap) DragEnd() {}

func (m *Minimap) restyle() {
	p := theme.Current()
	m.colors = newColors(&p)
	m.ground.FillColor, m.ground.StrokeColor = p.Panel, p.Line
	m.frame.StrokeColor = p.Accent
}

// goTo centres the view of the canvas on a point of the map.
func (m *Minimap) goTo(at fyne.Position) {
	level, ok := m.projection()
	if !ok {
		return
	}
	_, view := m.canvas.board.Base()
	there := level.ToDocument(pointOf(at))
	m.canvas.board.View.PanBy(view.Visible().Center().Sub(there).Scale(view.Zoom))
	m.canvas.looked()
	m.showFrame()
}

// projection returns the view of the whole level; ok is false for an empty level.
func (m *Minimap) projection() (v scene.Viewport, ok bool) {
	const margin = 8
	level, _ := m.canvas.board.Base()
	bounds := level.Bounds
	w, h := float64(m.Size().Width), float64(m.Size().Height)
	if bounds.Empty() || w <= 2*margin || h <= 2*margin {
		return v, false
	}
	v.Zoom = min((w-2*margin)/bounds.W(), (h-2*margin)/bounds.H())
	v.Pan = geom.Point{X: w / 2, Y: h / 2}.Sub(bounds.Center().Scale(v.Zoom))
	return v, true
}

// showFrame frames the part of the map that the canvas shows.
func (m *Minimap) showFrame() {
	level, ok := m.projection()
	_, view := m.canvas.board.Base()
	seen := view.Visible()
	low, high := level.ToScreen(seen.Min), level.ToScreen(seen.Max)
	w, h := float64(m.Size().Width), float64(m.Size().Height)
	box := geom.Rect{
		Min: geom.Point{X: max(low.X, 1), Y: max(low.Y, 1)}, Max: geom.Point{X: min(high.X, w-1), Y: min(high.Y, h-1)},
	}
	m.frame.Hidden = !ok || box.Empty()
	m.frame.StrokeWidth = 0 // Resize would refresh it
	m.frame.Move(position(box.Min))
	m.frame.Resize(size(box))
	m.frame.StrokeWidth = 1
}

// draw draws the nodes, in pixels of the screen.
func (m *Minimap) draw(w, h int) image.Image {
	picture := image.NewNRGBA(image.Rect(0, 0, w, h))
	level, ok := m.projection()
	if !ok {
		return picture
	}
	pixels := float64(w) / float64(m.Size().Width)
	scene, _ := m.canvas.board.Base()
	for i := range scene.Cards {
		card := &scene.Cards[i]
		low, high := level.ToScreen(card.Rect.Min).Scale(pixels), level.ToScreen(card.Rect.Max).Scale(pixels)
		box := image.Rect(int(low.X), int(low.Y), max(int(high.X), int(low.X)+2), max(int(high.Y), int(low.Y)+2))
		draw.Draw(picture, box, image.NewUniform(m.colorOf(card)), image.Point{}, draw.Src)
	}
	return picture
}

// colorOf returns the colour of a node: service nodes have that of their network.
func (m *Minimap) colorOf(c *cards.Card) color.Color {
	if !c.Circle {
		return m.colors.of(scene.Paint{Ink: scene.InkDim})
	}
	hairline := scene.Plain(scene.InkHairline)
	paint := scene.Exact(c.Spec.Card.Color, hairline)
	if paint.Dark() {
		paint = hairline
	}
	return m.colors.of(paint)
}

// mapRenderer does nothing: the map lays itself out.
type mapRenderer struct{ m *Minimap }

func (r *mapRenderer) Layout(fyne.Size)   {}
func (r *mapRenderer) MinSize() fyne.Size { return r.m.MinSize() }
func (r *mapRenderer) Refresh()           {}
func (r *mapRenderer) Destroy()           {}
func (r *mapRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.m.ground, r.m.nodes, r.m.frame}
}
