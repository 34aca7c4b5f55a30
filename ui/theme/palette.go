package theme

import (
	"encoding/hex"
	"image/color"
	"strings"
)

// Palette has the colours of one scheme, each named after its role.
type Palette struct {
	// Least is the minimum contrast of texts with their background, as [Contrast] measures
	// it.
	MinContrast float64

	Background color.NRGBA // of the window, and of fields
	Panel      color.NRGBA
	Line       color.NRGBA // hairlines between things
	Text       color.NRGBA
	Dim        color.NRGBA // subordinate text
	Canvas     color.NRGBA
	Grid       color.NRGBA
	Card       color.NRGBA
	Hairline   color.NRGBA // around circles as dark as the canvas
	Accent     color.NRGBA
	OnAccent   color.NRGBA // text on Accent, OK and Error
	OK         color.NRGBA
	Error      color.NRGBA
	Running    color.NRGBA
	Shadow     color.NRGBA // one layer of the shadow below floating objects

	// The colours of the types of ports.
	String, Int, Float, Bool, List, Record, Any, Credential, Media color.NRGBA
}

// The minimum contrast of texts by the Web Content Accessibility Guidelines, levels AA and
// AAA.
const readable, veryReadable = 4.5, 7.0

// Swatches returns the colours for groups and notes, as a workflow stores them: "#RRGGBB",
// the same in all schemes.
func Swatches() (all []string) {
	p := withTypes(Palette{})
	for _, c := range []color.NRGBA{p.List, p.Record, p.Credential, p.Bool, p.Int, p.Float, p.String} {
		all = append(all, "#"+strings.ToUpper(hexOf(c)))
	}
	return all
}

// White is the colour of icons on the colour of a node type, in all schemes.
func White() color.NRGBA { return RGB(0xFFFFFF) }

// RGB returns the opaque colour 0xRRGGBB.
func RGB(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xFF}
}

// LightPalette returns the colours of the light scheme.
func LightPalette() Palette {
	return withTypes(Palette{
		MinContrast: readable,
		Background:  RGB(0xF4F5F7), Panel: RGB(0xFFFFFF), Line: RGB(0xDDE1E7), Text: RGB(0x1A1D23), Dim: RGB(0x667085),
		Canvas: RGB(0xFAFBFC), Grid: RGB(0xEEF0F3), Card: RGB(0xFFFFFF), Hairline: RGB(0x000000),
		Accent: RGB(0x0A66C2), OnAccent: RGB(0xFFFFFF), OK: RGB(0x1A7F37), Error: RGB(0xCF222E), Running: RGB(0xB7791F),
	})
}

// DarkPalette returns the colours of the dark scheme.
func DarkPalette() Palette {
	return withTypes(Palette{
		MinContrast: readable,
		Background:  RGB(0x14161A), Panel: RGB(0x1B1E24), Line: RGB(0x2A2F38), Text: RGB(0xE6E9EF), Dim: RGB(0x8B94A3),
		Canvas: RGB(0x101216), Grid: RGB(0x1A1D23), Card: RGB(0x20242B), Hairline: RGB(0x5A6270),
		Accent: RGB(0x4C8DFF), OnAccent: RGB(0x0B1017), OK: RGB(0x3FB950), Error: RGB(0xF85149), Running: RGB(0xE3A008),
	})
}

// withTypes adds the colours of types that light and dark share.
func withTypes(p Palette) Palette {
	p.String, p.Int, p.Float = RGB(0x7FB069), RGB(0x4F8FD6), RGB(0x35A7A0)
	p.Bool, p.List, p.Record = RGB(0xB57EDC), RGB(0xD9A441), RGB(0xCF7A4B)
	p.Shadow = shadow()
	p.Any, p.Credential, p.Media = RGB(0x9AA3B2), RGB(0xD65A7B), RGB(0x5C6BC0)
	return p
}

func shadow() color.NRGBA { return Veil(RGB(0x000000), 0x0E) }

// HighContrastPalette returns colours in which all texts and lines, except the grid, have a
// contrast of at least 7:1.
func HighContrastPalette() Palette {
	black, white := RGB(0x000000), RGB(0xFFFFFF)
	return Palette{
		MinContrast: veryReadable,
		Background:  black, Panel: black, Line: white, Text: white, Dim: RGB(0xD9D9D9),
		Canvas: black, Shadow: shadow(), Grid: RGB(0x262626), Card: black, Hairline: white,
		Accent: RGB(0x1AEBFF), OnAccent: black, OK: RGB(0x3FF23F), Error: RGB(0xFF9494), Running: RGB(0xFFFF00),
		String: RGB(0xA6F28C), Int: RGB(0x8CC8FF), Float: RGB(0x5CF2E8), Bool: RGB(0xDDB3FF), List: RGB(0xFFD166),
		Record: RGB(0xFFB38A), Any: RGB(0xE0E0E0), Credential: RGB(0xFFA3BD), Media: RGB(0xB3BEFF),
	}
}

// Veil returns c with an opacity; an alpha of 0xFF is opaque.
func Veil(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Halfway returns the mean of two colours, opaque.
func Halfway(a, b color.NRGBA) color.NRGBA {
	mid := func(x, y uint8) uint8 { return uint8((uint(x) + uint(y)) / 2) }
	return color.NRGBA{R: mid(a.R, b.R), G: mid(a.G, b.G), B: mid(a.B, b.B), A: 0xFF}
}

// hexOf returns the digits "rrggbb" of a colour.
func hexOf(c color.NRGBA) string { return hex.EncodeToString([]byte{c.R, c.G, c.B}) }
