package htmltext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// writer writes lines without empty ones. White space is written before the next character
// only, so no line begins or ends with it.
type writer struct {
	b       strings.Builder
	breaks  bool // the next character begins a line
	spaces  []byte
	started bool // the line has a visible character
}

// String returns the text so far.
func (w *writer) String() string { return w.b.String() }

// line ends the line.
func (w *writer) line() {
	w.breaks, w.started, w.spaces = true, false, w.spaces[:0]
}

// space adds white space, unless the line is empty.
func (w *writer) space() {
	if w.started && len(w.spaces) == 0 {
		w.spaces = append(w.spaces, ' ')
	}
}

// text adds text. White space in it is one space, unless it is preformatted.
func (w *writer) text(text []byte, pre bool) {
	for i := 0; i < len(text); {
		c := text[i]
		if c > ' ' && c < utf8.RuneSelf {
			end := i + 1
			for end < len(text) && text[end] > ' ' && text[end] < utf8.RuneSelf {
				end++
			}
			w.begin(pre)
			w.b.Write(text[i:end])
			i = end
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case pre && r == '\n':
			w.line()
		case pre && (r == ' ' || r == '\t'):
			w.spaces = append(w.spaces, c)
		case unicode.IsSpace(r):
			w.space()
		case isInvisible(r), r < ' ':
		case isJoiner(r) && (!w.started || len(w.spaces) > 0): // joins nothing
		default:
			w.begin(pre)
			w.b.WriteRune(r)
		}
		i += size
	}
}

// begin writes what stands before a visible character.
func (w *writer) begin(pre bool) {
	if w.breaks && w.b.Len() > 0 {
		w.b.WriteByte('\n')
	}
	switch {
	case pre:
		w.b.Write(w.spaces)
	case len(w.spaces) > 0 && w.started:
		w.b.WriteByte(' ')
	}
	w.breaks, w.started, w.spaces = false, true, w.spaces[:0]
}

// isInvisible reports whether a character only marks where a word may be broken: the soft
// hyphen, the zero-width space, the word joiner and the byte order mark.
func isInvisible(r rune) bool {
	return r == 0x00AD || r == 0x200B || r == 0x2060 || r == 0xFEFF
}

// isJoiner reports whether a character changes its neighbours and cannot be seen itself.
func isJoiner(r rune) bool {
	return r == 0x034F || r >= 0x200C && r <= 0x200F
}
