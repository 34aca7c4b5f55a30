package object

import (
	"math"
	"strconv"
)

// Lexer reads objects from the text of a file or of a content stream.
type Lexer struct {
	data []byte
	pos  int
	refs bool // "1 0 R" is a reference; content streams have none
}

// NewLexer returns a lexer for a content stream or a CMap.
func NewLexer(data []byte) *Lexer { return &Lexer{data: data} }

// maxDepth is how deeply arrays and dictionaries may nest. Deeper ones are cut.
const maxDepth = 100

// Operator is a keyword: an operator of a content stream, or a word such as obj.
type Operator string

// end is the token at the end of the data.
type end struct{}

// white and delimiter tell the classes of characters (ISO 32000, 7.2.2).
func white(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func regular(c byte) bool { return !white(c) && !delimiter(c) }

// skip passes white space and comments.
func (l *Lexer) skip() {
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		if c == '%' {
			for l.pos < len(l.data) && l.data[l.pos] != '\n' && l.data[l.pos] != '\r' {
				l.pos++
			}
		} else if !white(c) {
			return
		} else {
			l.pos++
		}
	}
}

// Next returns the next object or [Operator], and false at the end of the data.
func (l *Lexer) Next() (any, bool) {
	o := l.object(0)
	if _, ended := o.(end); ended {
		return nil, false
	}
	return o, true
}

// object reads an object. A closing bracket that nothing opened is an operator.
func (l *Lexer) object(depth int) any {
	t := l.token()
	switch t {
	case Operator("["):
		return l.array(depth)
	case Operator("<<"):
		return l.dict(depth)
	}
	if n, isInt := t.(int); isInt && l.refs && n >= 0 {
		return l.reference(n)
	}
	return t
}

func (l *Lexer) array(depth int) any {
	list := Array{}
	for {
		o := l.object(depth + 1)
		switch o {
		case Operator("]"), end{}:
			return list
		case Operator("endobj"), Operator("endstream"):
			l.pos -= len(o.(Operator))
			return list
		}
		if op, is := o.(Operator); is {
			if word, known := constant(op); known {
				o = word
			} else if l.refs {
				continue // not an object
			}
		}
		if depth < maxDepth {
			list = append(list, o)
		}
	}
}

func (l *Lexer) dict(depth int) any {
	d := Dict{}
	for {
		key := l.token()
		switch key {
		case Operator(">>"), end{}:
			return d
		case Operator("endobj"), Operator("stream"):
			l.pos -= len(key.(Operator))
			return d
		}
		name, is := key.(Name)
		if !is {
			continue // not a key
		}
		value := l.object(depth + 1)
		switch value {
		case Operator(">>"), end{}:
			return d
		}
		if op, is := value.(Operator); is {
			value, _ = constant(op)
		}
		if depth < maxDepth {
			d[name] = value
		}
	}
}

// constant returns the value of the words true, false and null.
func constant(op Operator) (any, bool) {
	switch op {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null":
		return nil, true
	}
	return nil, false
}

// reference returns the reference that begins with n, or n.
func (l *Lexer) reference(n int) any {
	before := l.pos
	l.skip()
	if l.pos < len(l.data) && l.data[l.pos] >= '0' && l.data[l.pos] <= '9' {
		if gen, is := l.token().(int); is {
			l.skip()
			if l.pos < len(l.data) && l.data[l.pos] == 'R' && (l.pos+1 == len(l.data) || !regular(l.data[l.pos+1])) {
				l.pos++
				return Ref{n, gen}
			}
		}
	}
	l.pos = before
	return n
}

// token returns a number, a string, a name, an [Operator] or end.
func (l *Lexer) token() any {
	l.skip()
	if l.pos >= len(l.data) {
		return end{}
	}
	c := l.data[l.pos]
	switch {
	case c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.':
		return l.number()
	case c == '/':
		l.pos++
		return l.name()
	case c == '(':
		l.pos++
		return l.literal()
	case c == '<' && l.pos+1 < len(l.data) && l.data[l.pos+1] == '<', c == '>' && l.pos+1 < len(l.data) && l.data[l.pos+1] == '>':
		l.pos += 2
		return Operator(l.data[l.pos-2 : l.pos])
	case c == '<':
		l.pos++
		return l.hex()
	case delimiter(c):
		l.pos++
		return Operator(l.data[l.pos-1 : l.pos])
	}
	start := l.pos
	for l.pos < len(l.data) && regular(l.data[l.pos]) && l.pos-start < maxWord {
		l.pos++
	}
	return Operator(l.data[start:l.pos])
}

// maxWord is the maximum length of a keyword. Longer ones are in damaged data only.
const maxWord = 128

// number reads a number as other readers do: signs inside are ignored, and a word that
// begins like a number but has no digit is one that is zero.
func (l *Lexer) number() any {
	start := l.pos
	negative, real, whole, fraction, scale := false, false, 0.0, 0.0, 1.0
	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		switch {
		case c == '-' && l.pos == start:
			negative = true
		case c == '-', c == '+' && l.pos == start:
		case c == '.' && !real:
			real = true
		case c >= '0' && c <= '9' && real:
			if scale < 1e15 {
				fraction, scale = fraction*10+float64(c-'0'), scale*10
			}
		case c >= '0' && c <= '9':
			whole = whole*10 + float64(c-'0')
		default:
			return numberOf(negative, real, whole+fraction/scale)
		}
	}
	return numberOf(negative, real, whole+fraction/scale)
}

func numberOf(negative, real bool, n float64) any {
	if negative {
		n = -n
	}
	if !real && math.Abs(n) < 1<<53 {
		return int(n)
	}
	return n
}

func (l *Lexer) name() Name {
	start, escaped := l.pos, false
	for l.pos < len(l.data) && regular(l.data[l.pos]) {
		escaped = escaped || l.data[l.pos] == '#'
		l.pos++
	}
	raw := l.data[start:l.pos]
	if !escaped {
		return Name(raw)
	}
	var out []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if n, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return Name(out)
}

// literal reads a string in parentheses, after the first one.
func (l *Lexer) literal() String {
	var out []byte
	for open := 1; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				l.pos++
				return String(out)
			}
		case '\r': // every line end is a line feed
			if l.pos+1 < len(l.data) && l.data[l.pos+1] == '\n' {
				l.pos++
			}
			c = '\n'
		case '\\':
			if escaped, is := l.escape(); is {
				out = append(out, escaped)
			}
			continue
		}
		out = append(out, c)
	}
	return String(out)
}

// escape reads an escape sequence and leaves the lexer at its last byte. A line end after
// the backslash is no character.
func (l *Lexer) escape() (byte, bool) {
	l.pos++
	if l.pos >= len(l.data) {
		return 0, false
	}
	switch c := l.data[l.pos]; c {
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case '\r':
		if l.pos+1 < len(l.data) && l.data[l.pos+1] == '\n' {
			l.pos++
		}
		return 0, false
	case '\n':
		return 0, false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := int(c - '0')
		for i := 0; i < 2 && l.pos+1 < len(l.data) && l.data[l.pos+1] >= '0' && l.data[l.pos+1] <= '7'; i++ {
			l.pos++
			n = n<<3 | int(l.data[l.pos]-'0')
		}
		return byte(n), true
	default:
		return c, true
	}
}

// hex reads a string in angle brackets, after the first one.
func (l *Lexer) hex() String {
	var out []byte
	half, odd := byte(0), false
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		l.pos++
		if c == '>' {
			break
		}
		n, is := hexDigit(c)
		if !is {
			continue
		}
		if odd {
			out = append(out, half<<4|n)
		} else {
			half = n
		}
		odd = !odd
	}
	if odd {
		out = append(out, half<<4)
	}
	return String(out)
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
