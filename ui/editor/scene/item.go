package scene

import (
	"image"

	"github.com/svcflow/svc/engine/layout/geom"
)

// ItemKind is the kind of primitive of an [Item].
type ItemKind uint8

// The primitives. All coordinates are pixels of the screen.
const (
	ItemRect    ItemKind = iota // Box, Radius, Fill, Stroke, Width, Dashed
	ItemCircle                  // in Box: Fill, Stroke, Width
	ItemArc                     // a ring in Box, clockwise from the top by Sweep: Stroke, Width
	ItemLine                    // from Box.Min to Box.Max: Stroke, Width
	ItemWire                    // Curve in Segments lines: Stroke, Width, Dashed
	ItemText                    // Text in Box, by Align: Size, Bold, Mono, Fill
	ItemIcon                    // the icon called Text in Box: Fill
	ItemPort                    // Shape in Box: Fill, Stroke, Width
	ItemHatch                   // hatching over Box: Stroke
	ItemPicture                 // Picture in Box, as large as it fits
)

// Align is the horizontal alignment of a text in its box.
type Align uint8

// The alignments. Texts are centred vertically in their boxes.
const (
	Leading Align = iota
	Centered
	Trailing
)

// Shape is the shape of a port: each kind of types has one.
type Shape uint8

// The shapes.
const (
	Dot Shape = iota
	Notched
	Triangle
	Square
	Diamond
	Ring
)

// How much larger than their boxes ports of these shapes are drawn, so that all look equally
// large.
const (
	TriangleScale = 1.3
	DiamondScale  = 1.25
	SquareScale   = 0.85
)

// Ink is the role of a colour. A theme maps it to one.
type Ink uint8

// The inks. The zero Ink is no colour.
const (
	NoInk    Ink = iota
	InkExact     // Paint.RGB in all themes
	InkCanvas
	InkGrid
	InkPanel
	InkCard
	InkLine
	InkHairline
	InkText
	InkDim
	InkAccent
	InkOK
	InkError
	InkRunning
	InkString
	InkInt
	InkFloat
	InkBool
	InkList
	InkRecord
	InkAny
	InkCredential
	InkMedia
)

// Paint is a colour. The zero Paint paints nothing.
type Paint struct {
	Ink Ink
	// Clear is the transparency, in percent.
	Clear uint8
	// Legible mixes the colour with the text colour until it is readable on the backgrounds
	// of the theme.
	Legible bool
	RGB     uint32 // of InkExact: 0xRRGGBB
}

// Plain returns the unchanged colour of an ink.
func Plain(ink Ink) Paint { return Paint{Ink: ink} }

// Faded returns p with an opacity in percent.
func (p Paint) Faded(percent uint8) Paint {
	p.Clear = 100 - uint8(uint16(100-p.Clear)*uint16(percent)/100)
	return p
}

// Item is one primitive to paint. Later items cover earlier ones.
type Item struct {
	Kind     ItemKind
	Shape    Shape
	Align    Align
	Bold     bool
	Mono     bool
	Dashed   bool
	Segments uint8
	Fill     Paint
	Stroke   Paint
	Width    float32 // of the stroke
	Radius   float32 // of the corners
	Size     float32 // of the text
	Sweep    float32 // in degrees
	Box      geom.Rect
	Curve    Curve
	Text     string
	Picture  image.Image
}
