package kit

import (
	"encoding/hex"
	"image/color"
	"strings"

	"github.com/svcflow/svc/ui/theme"
)

// Ink is the part that a colour plays; the theme says which colour that is.
type Ink func(theme.Palette) color.NRGBA

// Plain is the ink of most texts.
func Plain(p theme.Palette) color.NRGBA { return p.Text }

// Dim is the ink of texts of the second rank.
func Dim(p theme.Palette) color.NRGBA { return p.Dim }

// Accent is the ink of what can be pressed and what is chosen.
func Accent(p theme.Palette) color.NRGBA { return p.Accent }

// OK is the ink of what went well.
func OK(p theme.Palette) color.NRGBA { return p.OK }

// Error is the ink of what is wrong.
func Error(p theme.Palette) color.NRGBA { return p.Error }

// Running is the ink of what is under way, and of warnings.
func Running(p theme.Palette) color.NRGBA { return p.Running }

// Exact returns the ink of one colour in all themes, "#RRGGBB" as node types tell
// theirs; Dim for any other text.
func Exact(rgb string) Ink {
	b, err := hex.DecodeString(strings.TrimPrefix(rgb, "#"))
	if err != nil || len(b) != 3 {
		return Dim
	}
	return func(theme.Palette) color.NRGBA { return color.NRGBA{R: b[0], G: b[1], B: b[2], A: 0xFF} }
}

// of returns the colour of an ink now; that of plain text for nil.
func (i Ink) of(p theme.Palette) color.NRGBA {
	if i == nil {
		return p.Text
	}
	return i(p)
}

// veil returns c as something one can look through.
func veil(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// near reports whether two colours are hard to tell apart where they meet.
func near(a, b color.NRGBA) bool {
	light := func(c color.NRGBA) int { return (2*int(c.R) + 7*int(c.G) + int(c.B)) / 10 }
	const apart = 32
	d := light(a) - light(b)
	return d < apart && d > -apart
}
