package kit

import (
	"image/color"

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

// OnAccent is the ink of texts on [Accent].
func OnAccent(p theme.Palette) color.NRGBA { return p.OnAccent }

// OK is the ink of what went well.
func OK(p theme.Palette) color.NRGBA { return p.OK }

// Error is the ink of what is wrong.
func Error(p theme.Palette) color.NRGBA { return p.Error }

// Running is the ink of what is under way, and of warnings.
func Running(p theme.Palette) color.NRGBA { return p.Running }

// of returns the colour of an ink now; that of plain text for nil.
func (i Ink) of(p theme.Palette) color.NRGBA {
	if i == nil {
		return p.Text
	}
	return i(p)
}

// near reports whether two colours are hard to tell apart where they meet.
func near(a, b color.NRGBA) bool {
	light := func(c color.NRGBA) int { return (2*int(c.R) + 7*int(c.G) + int(c.B)) / 10 }
	const apart = 32
	d := light(a) - light(b)
	return d < apart && d > -apart
}
