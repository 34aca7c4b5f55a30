package theme

import "image/color"

// Palette has the colours of one scheme, each named after the part it plays.
type Palette struct {
	Background color.NRGBA // of the window, and of fields
	Panel      color.NRGBA
	Line       color.NRGBA // hairlines between things
	Text       color.NRGBA
	Dim        color.NRGBA // text of the second rank
	Canvas     color.NRGBA
	Grid       color.NRGBA
	Card       color.NRGBA
	Hairline   color.NRGBA // around circles that are as dark as the canvas
	Accent     color.NRGBA
	OnAccent   color.NRGBA // text on Accent, OK and Error
	OK         color.NRGBA
	Error      color.NRGBA
	Running    color.NRGBA

	// The colours of the types of ports.
	String, Int, Float, Bool, List, Record, Any, Credential, Media color.NRGBA
}

// rgb returns the opaque colour 0xRRGGBB.
func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xFF}
}

// LightPalette returns the colours of the light scheme.
func LightPalette() Palette {
	return withTypes(Palette{
		Background: rgb(0xF4F5F7), Panel: rgb(0xFFFFFF), Line: rgb(0xDDE1E7), Text: rgb(0x1A1D23), Dim: rgb(0x667085),
		Canvas: rgb(0xFAFBFC), Grid: rgb(0xEEF0F3), Card: rgb(0xFFFFFF), Hairline: rgb(0x000000),
		Accent: rgb(0x0A66C2), OnAccent: rgb(0xFFFFFF), OK: rgb(0x1A7F37), Error: rgb(0xCF222E), Running: rgb(0xB7791F),
	})
}

// DarkPalette returns the colours of the dark scheme.
func DarkPalette() Palette {
	return withTypes(Palette{
		Background: rgb(0x14161A), Panel: rgb(0x1B1E24), Line: rgb(0x2A2F38), Text: rgb(0xE6E9EF), Dim: rgb(0x8B94A3),
		Canvas: rgb(0x101216), Grid: rgb(0x1A1D23), Card: rgb(0x20242B), Hairline: rgb(0x5A6270),
		Accent: rgb(0x4C8DFF), OnAccent: rgb(0xFFFFFF), OK: rgb(0x3FB950), Error: rgb(0xF85149), Running: rgb(0xE3A008),
	})
}

// withTypes adds the colours of types that light and dark share.
func withTypes(p Palette) Palette {
	p.String, p.Int, p.Float = rgb(0x7FB069), rgb(0x4F8FD6), rgb(0x35A7A0)
	p.Bool, p.List, p.Record = rgb(0xB57EDC), rgb(0xD9A441), rgb(0xCF7A4B)
	p.Any, p.Credential, p.Media = rgb(0x9AA3B2), rgb(0xD65A7B), rgb(0x5C6BC0)
	return p
}

// HighContrastPalette returns colours of which every text and every line stands out
// from what it lies on by 7:1 or more, the grid aside.
func HighContrastPalette() Palette {
	black, white := rgb(0x000000), rgb(0xFFFFFF)
	return Palette{
		Background: black, Panel: black, Line: white, Text: white, Dim: rgb(0xD9D9D9),
		Canvas: black, Grid: rgb(0x262626), Card: black, Hairline: white,
		Accent: rgb(0x1AEBFF), OnAccent: black, OK: rgb(0x3FF23F), Error: rgb(0xFF9494), Running: rgb(0xFFFF00),
		String: rgb(0xA6F28C), Int: rgb(0x8CC8FF), Float: rgb(0x5CF2E8), Bool: rgb(0xDDB3FF), List: rgb(0xFFD166),
		Record: rgb(0xFFB38A), Any: rgb(0xE0E0E0), Credential: rgb(0xFFA3BD), Media: rgb(0xB3BEFF),
	}
}
