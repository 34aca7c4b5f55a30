package scene

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
)

// The bounds of the zoom, and the factor of a notch of the wheel.
const (
	minZoom  = 0.05
	maxZoom  = 4
	zoomStep = 1.15
)

// Viewport is the visible part of the canvas.
type Viewport struct {
	Zoom float64 // pixels per dp
	// Pan is the position of the document's origin on the screen, in whole pixels, so that
	// nothing flickers while it moves.
	Pan  geom.Point
	Size geom.Point // of the screen, in pixels
	// Top is the height of messages that cover the upper edge, in pixels: the document is
	// drawn there, but should not be shown there.
	Top float64
}

// NewViewport returns a view of that size at a zoom of 1, with the origin at its
// top left corner.
func NewViewport(w, h float64) Viewport { return Viewport{Zoom: 1, Size: geom.Point{X: w, Y: h}} }

// ToScreen converts a point of the document to the screen.
func (v *Viewport) ToScreen(p geom.Point) geom.Point { return p.Scale(v.Zoom).Add(v.Pan) }

// ToDocument converts a point of the screen to the document.
func (v *Viewport) ToDocument(p geom.Point) geom.Point { return p.Sub(v.Pan).Scale(1 / v.Zoom) }

// Visible returns the visible part of the document.
func (v *Viewport) Visible() geom.Rect {
	return geom.Rect{Min: v.ToDocument(geom.Point{}), Max: v.ToDocument(v.Size)}
}

// PanBy moves the view by a distance on the screen.
func (v *Viewport) PanBy(d geom.Point) { v.Pan = v.Pan.Add(d).Snap(1) }

// ZoomTo changes the zoom; the point p of the screen stays where it is.
func (v *Viewport) ZoomTo(zoom float64, p geom.Point) {
	at := v.ToDocument(p)
	v.Zoom = min(max(zoom, minZoom), maxZoom)
	v.Pan = p.Sub(at.Scale(v.Zoom)).Snap(1)
}

// Wheel zooms by notches of the wheel, in if positive, about p of the screen.
func (v *Viewport) Wheel(notches float64, p geom.Point) {
	v.ZoomTo(v.Zoom*math.Pow(zoomStep, min(max(notches, -3), 3)), p)
}

// margin is the room around a document that is shown completely, and tight the least one.
const (
	margin = 48.0
	tight  = 12.0
)

// Fit shows a rectangle of the document as large as possible, at a zoom of at most 1. It
// ignores an empty rectangle.
func (v *Viewport) Fit(r geom.Rect) {
	if r.Empty() || v.Size.X <= 0 || v.Size.Y <= 0 {
		return
	}
	v.Zoom = min(max(v.fitting(r, margin), minZoom), 1)
	v.center(r.Center())
}

// fitting returns the zoom at which a rectangle has the given room around it.
func (v *Viewport) fitting(r geom.Rect, room float64) float64 {
	return min((v.Size.X-2*room)/r.W(), (v.Size.Y-v.Top-2*room)/r.H())
}

// Middle returns the middle of the uncovered part of the screen.
func (v *Viewport) Middle() geom.Point {
	return geom.Point{X: v.Size.X / 2, Y: (v.Size.Y + v.Top) / 2}
}

func (v *Viewport) center(p geom.Point) {
	v.Pan = v.Middle().Sub(p.Scale(v.Zoom)).Snap(1)
}

// Reveal moves the view by the least distance, without zooming, so that r of the document is
// visible with some room around it. If r is too large, its top left corner is shown.
func (v *Viewport) Reveal(r geom.Rect) {
	const margin = 24
	if v.Shows(r) {
		return
	}
	low, high := v.ToScreen(r.Min), v.ToScreen(r.Max)
	v.PanBy(geom.Point{X: least(low.X, high.X, v.Size.X, margin), Y: least(low.Y-v.Top, high.Y-v.Top, v.Size.Y-v.Top, margin)})
}

// Shows reports whether a rectangle of the document is completely visible.
func (v *Viewport) Shows(r geom.Rect) bool {
	low, high := v.ToScreen(r.Min), v.ToScreen(r.Max)
	return low.X >= 0 && low.Y >= v.Top && high.X <= v.Size.X && high.Y <= v.Size.Y
}

// least returns by how much something between low and high must move to be within a length,
// with a margin if there is room.
func least(low, high, length, margin float64) float64 {
	margin = max(min(margin, (length-(high-low))/2), 0)
	switch {
	case low < margin || high-low > length:
		return margin - low
	case high > length-margin:
		return length - margin - high
	}
	return 0
}

// Open shows a rectangle as when a document is opened: completely, at a zoom of at most 1,
// else from its top left corner on. Where a few pixels are missing for a zoom of 1, or for
// cards to have their texts, the room around it shrinks.
func (v *Viewport) Open(r geom.Rect) {
	if r.Empty() || v.Size.X <= 0 || v.Size.Y <= 0 || v.fitting(r, margin) >= 1 || v.fitting(r, tight) < minZoom {
		v.Begin(r)
		return
	}
	for _, zoom := range []float64{1, texts} {
		if v.fitting(r, margin) < zoom && v.fitting(r, tight) >= zoom {
			v.Zoom = zoom
			v.center(r.Center())
			return
		}
	}
	v.Fit(r)
}

// Begin shows the top left corner of a rectangle at a zoom of 1.
func (v *Viewport) Begin(r geom.Rect) {
	v.Zoom = 1
	v.Pan = geom.Point{X: margin, Y: v.Top + margin}.Sub(r.Min).Snap(1)
}

// EdgePan returns how fast the view scrolls, in pixels per second, when something is dragged
// to p: faster nearer to an edge, and zero elsewhere.
func (v *Viewport) EdgePan(p geom.Point) geom.Point {
	return geom.Point{X: edgeSpeed(p.X, v.Size.X), Y: edgeSpeed(p.Y, v.Size.Y)}
}

func edgeSpeed(at, size float64) float64 {
	const zone, fastest = 32, 900
	switch {
	case at < zone:
		return fastest * min((zone-at)/zone, 1)
	case at > size-zone:
		return -fastest * min((at-size+zone)/zone, 1)
	}
	return 0
}

// Detail is the level of detail of cards.
type Detail uint8

// The levels of detail, from far to near.
const (
	Blocks Detail = iota // without texts and ports
	Shapes               // ports too
	Full                 // texts too
)

// texts is the zoom from which cards have texts.
const texts = 0.5

// Detail returns the level of detail at this zoom: below 0.3 without ports, below 0.5 without
// texts.
func (v *Viewport) Detail() Detail {
	switch {
	case v.Zoom < 0.3:
		return Blocks
	case v.Zoom < texts:
		return Shapes
	}
	return Full
}
