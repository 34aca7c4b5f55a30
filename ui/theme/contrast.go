package theme

import (
	"image/color"
	"math"
)

// Contrast returns the contrast of two opaque colours, from 1 to 21, as defined by the Web
// Content Accessibility Guidelines.
func Contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.NRGBA) float64 {
	part := func(v uint8) float64 {
		x := float64(v) / 0xFF
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

// Over returns the opaque colour of c, which may be translucent, on an opaque ground.
func Over(c, ground color.NRGBA) color.NRGBA { return mix(c, ground, uint(c.A)) }

// mix mixes of/0xFF of a with b.
func mix(a, b color.NRGBA, of uint) color.NRGBA {
	part := func(x, y uint8) uint8 { return uint8((uint(x)*of + uint(y)*(0xFF-of) + 0x7F) / 0xFF) }
	return color.NRGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: 0xFF}
}

// How strongly backgrounds are tinted: tint with the text on them, as badges are, chosen with
// the accent, and lit with dim text.
const tint, chosen, lit = 0x2E, 0x30, 0x24

// Legible returns c for texts: unchanged if it is readable on all backgrounds of the scheme,
// including c's own tint; else mixed with the text colour as much as needed. The result is
// opaque.
func (p *Palette) Legible(c color.NRGBA) color.NRGBA {
	if c.A == 0 {
		return c
	}
	const step = 0x10
	c = Over(c, p.Card)
	for of := uint(0); ; of += step {
		made := mix(p.Text, c, min(of, 0xFF))
		if of >= 0xFF || p.readable(made) {
			return made
		}
	}
}

func (p *Palette) readable(c color.NRGBA) bool {
	for _, ground := range [...]color.NRGBA{p.Background, p.Panel, p.Card, p.Canvas, mix(p.Accent, p.Panel, chosen), mix(p.Dim, p.Panel, lit)} {
		if Contrast(c, ground) < p.MinContrast {
			return false
		}
	}
	return Contrast(c, mix(c, p.Panel, tint)) >= p.MinContrast && Contrast(c, mix(c, p.Card, tint)) >= p.MinContrast
}
