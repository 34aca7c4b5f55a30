package canvas

import (
	"image/color"

	"github.com/svcflow/svc/ui/editor"
	"github.com/svcflow/svc/ui/theme"
)

// inks returns the colours of the parts that a board draws.
func inks(p *theme.Palette) map[editor.Ink]color.NRGBA {
	return map[editor.Ink]color.NRGBA{
		editor.InkCanvas: p.Canvas, editor.InkGrid: p.Grid, editor.InkPanel: p.Panel, editor.InkCard: p.Card,
		editor.InkLine: p.Line, editor.InkHairline: p.Hairline, editor.InkText: p.Text, editor.InkDim: p.Dim,
		editor.InkAccent: p.Accent, editor.InkOK: p.OK, editor.InkError: p.Error, editor.InkRunning: p.Running,
		editor.InkString: p.String, editor.InkInt: p.Int, editor.InkFloat: p.Float, editor.InkBool: p.Bool,
		editor.InkList: p.List, editor.InkRecord: p.Record, editor.InkAny: p.Any, editor.InkCredential: p.Credential,
		editor.InkMedia: p.Media,
	}
}

// colors turns paints into colours. It keeps what it has made, because a picture has
// thousands of them and only a few that differ.
type colors struct {
	inks map[editor.Ink]color.NRGBA
	made map[editor.Paint]color.Color
}

func newColors(p *theme.Palette) colors {
	return colors{inks: inks(p), made: map[editor.Paint]color.Color{}}
}

// of returns the colour of a paint; transparent for no ink.
func (c *colors) of(p editor.Paint) color.Color {
	if p.Ink == editor.NoInk {
		return color.Transparent
	}
	made, ok := c.made[p]
	if !ok {
		made = c.exactly(p)
		c.made[p] = made
	}
	return made
}

func (c *colors) exactly(p editor.Paint) color.NRGBA {
	at := c.inks[p.Ink]
	if p.Ink == editor.InkExact {
		at = color.NRGBA{R: uint8(p.RGB >> 16), G: uint8(p.RGB >> 8), B: uint8(p.RGB), A: 0xFF}
	}
	if p.Legible {
		at = halfway(at, c.inks[editor.InkText])
	}
	at.A = uint8((100 - uint(min(p.Clear, 100))) * uint(at.A) / 100)
	return at
}

// halfway returns the opaque colour between two.
func halfway(a, b color.NRGBA) color.NRGBA {
	mid := func(x, y uint8) uint8 { return uint8((uint(x) + uint(y)) / 2) }
	return color.NRGBA{R: mid(a.R, b.R), G: mid(a.G, b.G), B: mid(a.B, b.B), A: 0xFF}
}
