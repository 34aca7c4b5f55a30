package font

import (
	"strings"
)

// cffEncoding returns the encoding that a compact font (CFF, Adobe technical note 5176) has
// itself, or nil if it cannot be read or the font has none, as composite fonts.
func cffEncoding(data []byte) *[256]string {
	if len(data) < 4 {
		return nil
	}
	c := &cff{data: data}
	c.index(int(data[2])) // names
	top := c.index(c.next)
	texts := c.index(c.next)
	if len(top) == 0 || c.bad {
		return nil
	}
	operators := c.dict(top[0])
	if _, isComposite := operators[12<<8|30]; isComposite {
		return nil
	}
	glyphs := len(c.index(operators[17]))
	if glyphs == 0 || c.bad {
		return nil
	}
	strings := cffStrings()
	name := func(id int) string {
		if id < len(strings) {
			return strings[id]
		}
		if id -= len(strings); id < len(texts) {
			return string(texts[id])
		}
		return ""
	}
	if at := operators[16]; at < 2 {
		if at == 1 {
			return encodings()["MacExpert"]
		}
		return encodings()["Standard"]
	}
	names := c.charset(operators[15], glyphs, name)
	return c.encoding(operators[16], names, name)
}

// cff reads the tables of a compact font.
type cff struct {
	data []byte
	next int // after the last index
	bad  bool
}

// byteAt returns a byte, or 0 behind the end.
func (c *cff) byteAt(i int) int {
	if i < 0 || i >= len(c.data) {
		c.bad = true
		return 0
	}
	return int(c.data[i])
}

func (c *cff) number(i, size int) (n int) {
	for k := range size {
		n = n<<8 | c.byteAt(i+k)
	}
	return n
}

// index reads a list of byte strings at an offset.
func (c *cff) index(at int) (list [][]byte) {
	count := c.number(at, 2)
	if count == 0 || c.bad {
		c.next = at + 2
		return nil
	}
	size := c.byteAt(at + 2)
	if size < 1 || size > 4 {
		c.bad = true
		return nil
	}
	base := at + 2 + (count+1)*size
	for i := range count {
		from, to := base+c.number(at+3+i*size, size), base+c.number(at+3+(i+1)*size, size)
		if from < 0 || to < from || to > len(c.data) || c.bad {
			c.bad = true
			return nil
		}
		list = append(list, c.data[from:to])
		c.next = to
	}
	return list
}

// dict returns the last operand of each operator.
func (c *cff) dict(data []byte) map[int]int {
	all, operand := map[int]int{}, 0
	d := &cff{data: data}
	for i := 0; i < len(data); i++ {
		switch b := int(data[i]); {
		case b == 12:
			i++
			all[12<<8|d.byteAt(i)] = operand
		case b <= 21:
			all[b] = operand
		case b == 28:
			operand = int(int16(d.number(i+1, 2)))
			i += 2
		case b == 29:
			operand = int(int32(d.number(i+1, 4)))
			i += 4
		case b == 30: // a real number, up to a nibble 15
			for i++; i < len(data) && data[i]&0x0f != 0x0f && data[i]>>4 != 0x0f; i++ {
			}
		case b >= 32 && b <= 246:
			operand = b - 139
		case b >= 247 && b <= 250:
			operand = (b-247)*256 + d.byteAt(i+1) + 108
			i++
		case b >= 251 && b <= 254:
			operand = -(b-251)*256 - d.byteAt(i+1) - 108
			i++
		}
	}
	return all
}

// charset returns the names of the glyphs.
func (c *cff) charset(at, glyphs int, name func(int) string) []string {
	names := []string{".notdef"}
	if at <= 2 { // a predefined charset; that of ISO Adobe has the standard strings in order
		for i := 1; i < glyphs; i++ {
			names = append(names, name(i))
		}
		return names
	}
	format := c.byteAt(at)
	for at++; len(names) < glyphs && !c.bad; {
		first := c.number(at, 2)
		at += 2
		left := 0
		if format > 0 {
			left = c.number(at, format)
			at += format
		}
		for i := 0; i <= left && len(names) < glyphs; i++ {
			names = append(names, name(first+i))
		}
	}
	return names
}

// encoding returns the name of the glyph of each code.
func (c *cff) encoding(at int, names []string, name func(int) string) *[256]string {
	var e [256]string
	format := c.byteAt(at)
	count := c.byteAt(at + 1)
	at += 2
	glyph := 1
	set := func(code int) {
		if glyph < len(names) && code < 256 {
			e[code] = names[glyph]
		}
		glyph++
	}
	for range count {
		first := c.byteAt(at)
		at++
		left := 0
		if format&0x7f == 1 {
			left = c.byteAt(at)
			at++
		}
		for i := 0; i <= left; i++ {
			set(first + i)
		}
	}
	if format&0x80 != 0 { // more codes
		count = c.byteAt(at)
		for at++; count > 0; count-- {
			e[c.byteAt(at)] = name(c.number(at+1, 2))
			at += 3
		}
	}
	if c.bad {
		return nil
	}
	return &e
}

// cffStrings are the strings that compact fonts refer to by number.
func cffStrings() []string { return strings.Fields(cffText) }
