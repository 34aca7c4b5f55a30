package canvas

import (
	"image/color"

	colors1 "github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

// colors converts paints to colours. It caches them: a frame has thousands of paints, and few
// different ones.
type colors struct {
	palette *theme.Palette
	made    map[scene.Paint]color.Color
	texts   map[scene.Paint]color.Color
}

func newColors(p *theme.Palette) colors {
	return colors{palette: p, made: map[scene.Paint]color.Color{}, texts: map[scene.Paint]color.Color{}}
}

// ofText returns the legible colour for a text with that paint.
func (c *colors) ofText(p scene.Paint) color.Color {
	made, ok := c.texts[p]
	if !ok {
		made = c.palette.Legible(colors1.Color(p, c.palette))
		c.texts[p] = made
	}
	return made
}

// of returns the colour of a paint; transparent for no ink.
func (c *colors) of(p scene.Paint) color.Color {
	if p.Ink == scene.NoInk {
		return color.Transparent
	}
	made, ok := c.made[p]
	if !ok {
		made = colors1.Color(p, c.palette)
		c.made[p] = made
	}
	return made
}
