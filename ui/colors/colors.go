// Package colors maps the parts of a workflow to colours of a theme: what a board draws, and
// the types of values. Widgets that know nothing of workflows have their look in package kit.
package colors

import (
	"image/color"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// Color returns the colour of a paint; transparent if it paints nothing.
func Color(p scene.Paint, in *theme.Palette) color.NRGBA {
	c := of(p.Ink, in)
	if p.Ink == scene.InkExact {
		c = theme.RGB(p.RGB)
	}
	if p.Legible {
		c = theme.Halfway(c, in.Text)
	}
	return theme.Veil(c, uint8((100-uint(min(p.Clear, 100)))*uint(c.A)/100))
}

// of returns the colour of an ink; transparent if it has none.
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

// OfType returns the colour of a type: that of its ports and wires on the canvas.
func OfType(t value.Type) kit.ColorFunc {
	i := scene.InkOf(t)
	return func(p theme.Palette) color.NRGBA { return of(i, &p) }
}

// Exact returns a colour that is the same in all themes, from "#RRGGBB" as node types have
// it; [kit.Dim] for any other text.
func Exact(rgb string) kit.ColorFunc {
	paint := scene.Exact(rgb, scene.Plain(scene.InkDim))
	return func(p theme.Palette) color.NRGBA { return Color(paint, &p) }
}
