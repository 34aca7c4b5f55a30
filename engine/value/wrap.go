package value

// maxColumns is the maximum length of a line of [WrapJSONMax] with a whole list or record,
// in characters.
const maxColumns = 100

// WrapJSONMax appends the compact JSON text src to dst in a readable layout: like
// [IndentJSON], but with small lists and records on one line. Such a list or record fits
// into 100 columns, has at most one level of lists and records inside, and no record inside
// a list, so that each record of a list has its own line. The outermost value always takes
// several lines, unless it is empty. If the result would have more than limit bytes, it
// returns the original dst and false. It takes time linear in the length of src.
func WrapJSONMax(dst, src []byte, limit int) ([]byte, bool) {
	w := wrapper{dst: dst}
	for i := 0; i < len(src); {
		if len(w.dst)-len(dst) > limit {
			return dst, false
		}
		n := 1
		switch c := src[i]; c {
		case '"':
			n = stringLength(src[i:])
			w.write(src[i : i+n]...)
		case ':':
			w.write(':', ' ')
		case ',':
			w.write(',')
			w.line()
		case '{', '[':
			if flat, ok := flatLength(src[i:], maxColumns-w.column); ok && (w.depth > 0 || flat == len("{}")) {
				n = flat
				w.flat(src[i : i+n])
				break
			}
			w.write(c)
			w.depth++
			w.line()
		case '}', ']':
			w.depth--
			w.line()
			w.write(c)
		default:
			w.write(c)
		}
		i += n
	}
	return w.dst, len(w.dst)-len(dst) <= limit
}

// wrapper writes lines. column is the length of the current line in characters.
type wrapper struct {
	dst           []byte
	depth, column int
}

func (w *wrapper) write(text ...byte) {
	w.dst = append(w.dst, text...)
	w.column += characters(text)
}

func (w *wrapper) line() {
	w.dst = append(w.dst, '\n')
	for range w.depth {
		w.dst = append(w.dst, indentation...)
	}
	w.column = w.depth * len(indentation)
}

// flat writes a list or record on one line.
func (w *wrapper) flat(src []byte) {
	for i := 0; i < len(src); {
		n := 1
		if src[i] == '"' {
			n = stringLength(src[i:])
		}
		w.write(src[i : i+n]...)
		if src[i] == ':' || src[i] == ',' {
			w.write(' ')
		}
		i += n
	}
}

// flatLength returns the length of the list or record at the start of src, and whether it
// fits on one line with room characters left. It looks at no more than room characters.
func flatLength(src []byte, room int) (n int, ok bool) {
	var inList [2]bool
	depth := 0
	for i := 0; i < len(src) && room >= 0; {
		n := 1
		switch c := src[i]; c {
		case '"':
			n = stringLength(src[i:min(len(src), i+4*room+len(`""`))])
		case ':', ',':
			room-- // for the space after it
		case '{', '[':
			if depth == len(inList) || c == '{' && depth > 0 && inList[depth-1] {
				return 0, false
			}
			inList[depth] = c == '['
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, room > 0
			}
		}
		room -= characters(src[i : i+n])
		i += n
	}
	return 0, false
}

// characters counts the characters of UTF-8 text.
func characters(text []byte) (n int) {
	for _, b := range text {
		if b&0xC0 != 0x80 { // not a continuation byte
			n++
		}
	}
	return n
}
