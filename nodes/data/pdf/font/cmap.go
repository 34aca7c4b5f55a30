package font

import (
	"slices"

	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// cmap maps character codes: to glyphs (CIDs) for the encoding of a composite font, or to
// text for ToUnicode.
type cmap struct {
	spaces   []space
	ranges   []cidRange
	texts    map[int]string
	vertical bool
	left     int // how many more texts are read
}

// space is a range of codes with the same number of bytes.
type space struct{ size, low, high int }

type cidRange struct{ low, high, cid int }

// maxTexts is how many characters of a font are read. Ranges may overlap, so a small file
// can list very many.
const maxTexts = 1 << 18

// readCMap reads a CMap. parent returns the one that it builds on, if it names one.
func readCMap(data []byte, parent func(name string) *cmap) *cmap {
	m := &cmap{texts: map[int]string{}, left: maxTexts}
	l := object.NewLexer(data)
	var args []any
	for {
		t, more := l.Next()
		if !more {
			return m
		}
		op, is := t.(object.Operator)
		if !is {
			if args = append(args, t); len(args) > 4096 {
				args = args[1024:] // tables are shorter; the rest is damaged
			}
			continue
		}
		m.obey(string(op), args, parent)
		args = args[:0]
	}
}

func (m *cmap) obey(op string, args []any, parent func(name string) *cmap) {
	switch op {
	case "def":
		if len(args) > 1 && args[len(args)-2] == object.Name("WMode") {
			m.vertical = object.Int(args[len(args)-1]) == 1
		}
	case "usecmap":
		name, _ := last(args).(object.Name)
		if from := parent(string(name)); from != nil {
			m.spaces, m.ranges = append(m.spaces, from.spaces...), append(m.ranges, from.ranges...)
		}
	case "endcodespacerange":
		for ; len(args) > 1; args = args[2:] {
			if low, is := args[0].(object.String); is {
				m.spaces = append(m.spaces, space{min(max(1, len(low)), 4), codeOf(args[0]), codeOf(args[1])})
			}
		}
	case "endcidchar":
		for ; len(args) > 1; args = args[2:] {
			code := codeOf(args[0])
			m.addRange(cidRange{code, code, object.Int(args[1])})
		}
	case "endcidrange":
		for ; len(args) > 2; args = args[3:] {
			m.addRange(cidRange{codeOf(args[0]), codeOf(args[1]), object.Int(args[2])})
		}
	case "endbfchar":
		for ; len(args) > 1; args = args[2:] {
			m.put(codeOf(args[0]), textOf(args[1]))
		}
	case "endbfrange":
		for ; len(args) > 2; args = args[3:] {
			m.putRange(codeOf(args[0]), codeOf(args[1]), args[2])
		}
	}
}

func last(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[len(args)-1]
}

func (m *cmap) addRange(r cidRange) {
	if m.left--; m.left > 0 {
		m.ranges = append(m.ranges, r)
	}
}

func (m *cmap) put(code int, text string) {
	if m.left--; m.left > 0 {
		m.texts[code] = text
	}
}

// putRange maps a range of codes. It lists all texts, or only the first, whose last
// character counts up.
func (m *cmap) putRange(low, high int, to any) {
	if list, is := to.(object.Array); is {
		for i := 0; i < len(list) && low+i <= high; i++ {
			m.put(low+i, textOf(list[i]))
		}
		return
	}
	text := []rune(textOf(to))
	if len(text) == 0 {
		return
	}
	first := text[len(text)-1]
	for code := low; code <= high && m.left > 0; code++ {
		text[len(text)-1] = first + rune(code-low)
		m.put(code, string(text))
	}
}

// codeOf returns a code from its bytes.
func codeOf(v any) (n int) {
	raw, is := v.(object.String)
	if !is {
		return object.Int(v)
	}
	for i := range min(len(raw), 4) {
		n = n<<8 | int(raw[i])
	}
	return n
}

// textOf returns the text of a code: UTF-16, a single byte, or the name of a glyph.
func textOf(v any) string {
	switch v := v.(type) {
	case object.String:
		if len(v) == 1 {
			return string(rune(v[0]))
		}
		return object.UTF16(v)
	case object.Name:
		return nameText(string(v))
	}
	return ""
}

// next returns the first code of raw and how many bytes it has.
func (m *cmap) next(raw string) (code, size int) {
	for size = 1; size <= min(len(raw), 4); size++ {
		code = code<<8 | int(raw[size-1])
		for _, s := range m.spaces {
			if s.size == size && s.holds(code) {
				return code, size
			}
		}
	}
	// The code is in no range. The shortest range tells how many bytes to pass.
	size = 2
	if len(m.spaces) > 0 {
		size = 4
		for _, s := range m.spaces {
			size = min(size, s.size)
		}
	}
	size = min(size, len(raw))
	code = 0
	for i := range size {
		code = code<<8 | int(raw[i])
	}
	return code, size
}

// holds reports whether each byte of a code is within the range.
func (s space) holds(code int) bool {
	for i := range s.size {
		shift := 8 * i
		b := code >> shift & 0xff
		if b < s.low>>shift&0xff || b > s.high>>shift&0xff {
			return false
		}
	}
	return true
}

// cid returns the glyph of a code. Later ranges replace earlier ones.
func (m *cmap) cid(code int) int {
	for _, r := range slices.Backward(m.ranges) {
		if code >= r.low && code <= r.high {
			return r.cid + code - r.low
		}
	}
	return 0
}
