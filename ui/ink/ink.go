// Package ink says which colours of a theme the parts of a workflow have: what a board
// draws, and the types of values wherever they are named. The look of widgets that know
// nothing of workflows is that of package kit.
package ink

import (
	"image/color"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// Color returns the colour of a paint; transparent for one that paints nothing.
func Color(p scene.Paint, in *theme.Palette) color.NRGBA {
	c := of(p.Ink, in)
	if p.Ink == scene.InkExact {
		c = color.NRGBA{R: uint8(p.RGB >> 16), G: uint8(p.RGB >> 8), B: uint8(p.RGB), A: 0xFF}
	}
	if p.Legible {
		c = halfway(c, in.Text)
	}
	c.A = uint8((100 - uint(min(p.Clear, 100))) * uint(c.A) / 100)
	return c
}

// halfway returns the opaque colour between two.
func halfway(a, b color.NRGBA) color.NRGBA {
	mid := func(x, y uint8) uint8 { return uint8((uint(x) + uint(y)) / 2) }
	return color.NRGBA{R: mid(a.R, b.R), G: mid(a.G, b.G), B: mid(a.B, b.B), A: 0xFF}
}

// of returns the colour of an ink; transparent for those that name none.
func of(i scene.Ink, p *theme.Palette) color.NRGBA {
	return [...]color.NRGBA{
		scene.InkCanvas: p.Canvas, scene.InkGrid: p.Grid, scene.InkPanel: p.Panel, scene.InkCard: p.Card,
		scene.InkLine: p.Line, scene.InkHairline: p.Hairline, scene.InkText: p.Text, scene.InkDim: p.Dim,
		scene.InkAccent: p.Accent, scene.InkOK: p.OK, scene.InkError: p.Error, scene.InkRunning: p.Running,
		scene.InkString: p.String, scene.InkInt: p.Int, scene.InkFloat: p.Float, scene.InkBool: p.Bool,
		scene.InkList: p.List, scene.InkRecord: p.Record, scene.InkAny: p.Any, scene.InkCredential: p.Credential,
		scene.InkMedia: p.Media,
	}[i]
}

// OfType returns the ink of a type: that of its ports and wires on the canvas.
func OfType(t value.Type) kit.Ink {
	i := scene.InkOf(t)
	return func(p theme.Palette) color.NRGBA { return of(i, &p) }
}
