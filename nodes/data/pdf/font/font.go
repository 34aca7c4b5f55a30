// Package font decodes the text that fonts of PDF files draw, and measures it.
package font

import (
	"strings"

	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// Font is a font of a page. Its measures are in units of the font size.
type Font struct {
	Name            string
	Ascent, Descent float64
	Vertical        bool    // the text runs from top to bottom
	Scale           float64 // of the size, to what other fonts with letters as large have; 1 but for Type 3

	simple    *[256]char
	composite *composite
}

// Char is a character that a font draws.
type Char struct {
	Code  int
	Size  int     // bytes of the code
	Text  string  // "" if it is not known
	Width float64 // how far the next character is: to the right or, in vertical text, up
}

type char struct {
	text  string
	width float64
}

// kilo is the unit of widths in files: a thousandth of the font size.
const kilo = 1000

// New returns the font that a dictionary describes.
func New(f *object.File, d object.Dict) *Font {
	n := &Font{Name: string(f.Name(d["BaseFont"])), Ascent: 0.95, Descent: -0.35, Scale: 1}
	subtype := f.Name(d["Subtype"])
	if subtype == "Type0" {
		n.readComposite(f, d)
		return n
	}
	n.readSimple(f, d, subtype)
	return n
}

// describe reads the ascent and descent of a font.
func (n *Font) describe(f *object.File, d object.Dict) {
	if a := object.Float(f.Resolve(d["Ascent"])); a != 0 {
		n.Ascent = max(a, -a) / kilo
	}
	if a := object.Float(f.Resolve(d["Descent"])); a != 0 {
		n.Descent = -max(a, -a) / kilo
	}
}

// Chars calls draw with each character of a string.
func (n *Font) Chars(raw string, draw func(Char)) {
	if n.composite != nil {
		n.composite.chars(raw, draw)
		return
	}
	for i := range len(raw) {
		c := &n.simple[raw[i]]
		draw(Char{Code: int(raw[i]), Size: 1, Text: c.text, Width: c.width})
	}
}

// texts reads ToUnicode.
func texts(f *object.File, d object.Dict) map[int]string {
	s, is := f.Resolve(d["ToUnicode"]).(*object.Stream)
	if !is {
		return nil
	}
	data, _ := f.Decode(s)
	return readCMap(data, func(string) *cmap { return nil }).texts
}

// expand writes ligatures as letters, as pdftotext does, and removes the character 0, with
// which some writers fill their tables.
func expand(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r == 0 || r >= 0xfb00 && r <= 0xfb06 }) {
		return text
	}
	return strings.NewReplacer("\x00", "", "\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st").Replace(text)
}
