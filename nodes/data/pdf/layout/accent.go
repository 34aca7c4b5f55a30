package layout

import (
	"math"
	"unicode"
)

// combining returns the combining mark of an accent that stands alone, or 0. TeX draws
// accents over letters so.
func combining(r rune) rune {
	switch r {
	case '`':
		return 0x300
	case '\u00b4':
		return 0x301
	case '^', '\u02c6':
		return 0x302
	case '~', '\u02dc':
		return 0x303
	case '\u00af':
		return 0x304
	case '\u02d8':
		return 0x306
	case '\u02d9':
		return 0x307
	case '\u00a8':
		return 0x308
	case '\u02da':
		return 0x30a
	case '\u02dd':
		return 0x30b
	case '\u02c7':
		return 0x30c
	case '\u00b8':
		return 0x327
	case '\u02db':
		return 0x328
	}
	return 0
}

// combine joins a character with the last one of the word if one is an accent that is drawn
// over the other. It reports whether it did.
func (w *word) combine(r rune, c *Char) bool {
	n := len(w.text)
	if n == 0 || c.Turn != w.turn || c.Vertical || w.vertical {
		return false
	}
	before := w.text[n-1]
	mark, letter := combining(r), before
	if mark == 0 {
		mark, letter = combining(before), r
	}
	if mark == 0 || !unicode.IsLetter(letter) {
		return false
	}
	u, v := turned(w.turn, c.X, c.Y)
	du, _ := turned(w.turn, c.DX, c.DY)
	const near = 0.3 // of the wider one
	left, right := w.edges[n-1], w.uMax
	if math.Abs(u+du/2-(left+right)/2) > near*max(du, right-left) || math.Abs(v-w.base) > baselineShift*w.size {
		return false
	}
	w.text[n-1] = letter
	w.text, w.edges = append(w.text, mark), append(w.edges, left)
	if letter == r {
		w.edges[n-1], w.edges[n] = min(left, u), u
		w.uMax = max(u+du, right)
	}
	w.last, w.lastFont = c.Position+c.Bytes, c.Font
	return true
}
