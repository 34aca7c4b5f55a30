package font

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// composite is a font whose codes have several bytes. The encoding maps codes to glyphs
// (CIDs) of a collection.
type composite struct {
	codes    *cmap // nil if all codes have two bytes and are those of glyphs
	legacy   legacy
	utf16    bool // codes are UTF-16
	texts    map[int]string
	letters  *collection
	widths   map[int]float64
	usual    float64
	vertical bool
	heights  map[int]float64 // how far vertical glyphs advance
	height   float64
}

func (n *Font) readComposite(f *object.File, d object.Dict) {
	var descendant object.Dict
	if list := f.Array(d["DescendantFonts"]); len(list) > 0 {
		descendant = f.Dict(list[0])
	} else {
		descendant = f.Dict(d["DescendantFonts"])
	}
	c := &composite{usual: 1, texts: texts(f, d)}
	n.composite = c
	n.describe(f, f.Dict(descendant["FontDescriptor"]))
	info := f.Dict(descendant["CIDSystemInfo"])
	ordering, _ := f.Resolve(info["Ordering"]).(object.String)
	c.letters = collectionOf(string(ordering))
	switch e := f.Resolve(d["Encoding"]).(type) {
	case object.Name:
		c.predefined(string(e))
	case *object.Stream:
		data, _ := f.Decode(e)
		c.codes = readCMap(data, func(string) *cmap { return nil })
		if parent := f.Name(e.Dict["UseCMap"]); len(c.codes.spaces) == 0 {
			c.predefined(string(parent))
		}
		c.vertical = c.codes.vertical || object.Int(f.Resolve(e.Dict["WMode"])) == 1
	}
	n.Vertical = c.vertical
	c.readWidths(f, descendant)
	if c.vertical {
		c.readHeights(f, descendant)
	}
}

// legacy is a national encoding of codes.
type legacy struct {
	encoding encoding.Encoding
	high     byte // added to each byte
	single   func(b byte) bool
}

// predefined sets the encoding by its name (ISO 32000, table 116).
func (c *composite) predefined(name string) {
	c.vertical = strings.HasSuffix(name, "-V") || name == "V"
	shiftJIS := func(b byte) bool { return b < 0x81 || b >= 0xa0 && b < 0xe0 || b > 0xfc }
	ascii := func(b byte) bool { return b <= 0x80 }
	never := func(byte) bool { return false }
	part := func(s string) bool { return strings.Contains(name, s) }
	use := func(e encoding.Encoding, collection string, single func(byte) bool) {
		c.legacy = legacy{encoding: e, single: single}
		if c.letters == nil {
			c.letters = collectionOf(collection)
		}
	}
	switch {
	case part("Identity"):
	case part("UCS2"), part("UTF16"):
		c.utf16 = true
		for prefix, collection := range map[string]string{"UniJIS": "Japan1", "UniGB": "GB1", "UniCNS": "CNS1", "UniKS": "Korea1"} {
			if strings.HasPrefix(name, prefix) && c.letters == nil {
				c.letters = collectionOf(collection)
			}
		}
	case part("RKSJ"):
		use(japanese.ShiftJIS, "Japan1", shiftJIS)
	case name == "EUC-H", name == "EUC-V":
		use(japanese.EUCJP, "Japan1", ascii)
	case name == "H", name == "V", name == "Add-H", name == "Add-V", name == "Ext-H", name == "Ext-V":
		use(japanese.EUCJP, "Japan1", never)
		c.legacy.high = 0x80
	case strings.HasPrefix(name, "GBK"), strings.HasPrefix(name, "GB-EUC"), strings.HasPrefix(name, "GBpc"):
		use(simplifiedchinese.GB18030, "GB1", ascii)
	case strings.HasPrefix(name, "GB-"):
		use(simplifiedchinese.GB18030, "GB1", never)
		c.legacy.high = 0x80
	case strings.HasPrefix(name, "B5"), strings.HasPrefix(name, "ETen"), strings.HasPrefix(name, "HKscs"), strings.HasPrefix(name, "ETHK"):
		use(traditionalchinese.Big5, "CNS1", ascii)
	case strings.HasPrefix(name, "KSC-EUC"), strings.HasPrefix(name, "KSCms"), strings.HasPrefix(name, "KSCpc"):
		use(korean.EUCKR, "Korea1", ascii)
	case name == "KSC-H", name == "KSC-V":
		use(korean.EUCKR, "Korea1", never)
		c.legacy.high = 0x80
	}
}

// next returns the first code of raw, its glyph, its text if the encoding tells it, and how
// many bytes it has.
func (c *composite) next(raw string) (code, cid, size int, text string) {
	switch {
	case c.codes != nil && len(c.codes.spaces) > 0:
		code, size = c.codes.next(raw)
		return code, c.codes.cid(code), size, ""
	case c.legacy.encoding != nil:
		size = 2
		if c.legacy.single(raw[0]) || len(raw) < 2 {
			size = 1
		}
		bytes := []byte(raw[:size])
		for i, b := range bytes {
			code = code<<8 | int(b)
			bytes[i] += c.legacy.high
		}
		if out, err := c.legacy.encoding.NewDecoder().Bytes(bytes); err == nil && !strings.ContainsRune(string(out), utf8.RuneError) {
			text = string(out)
		}
	default:
		size = min(2, len(raw))
		for i := range size {
			code = code<<8 | int(raw[i])
		}
		if !c.utf16 {
			return code, code, size, ""
		}
		if code >= 0xd800 && code < 0xdc00 && len(raw) >= 4 {
			size = 4
			code = code<<16 | int(raw[2])<<8 | int(raw[3])
		}
		text = object.UTF16(object.String(raw[:size]))
	}
	if r, n := utf8.DecodeRuneInString(text); n == len(text) && n > 0 && c.letters != nil {
		cid = c.letters.glyphs[r]
	}
	return code, cid, size, text
}

func (c *composite) chars(raw string, draw func(Char)) {
	for raw != "" {
		code, cid, size, text := c.next(raw)
		if known, has := c.texts[code]; has {
			text = known
		} else if text == "" && c.letters != nil && cid > 0 && cid < len(c.letters.letters) {
			if r := c.letters.letters[cid]; r > 0 {
				text = string(r)
			}
		}
		raw = raw[size:]
		char := Char{Code: code, Size: size, Text: expand(text)}
		width, known := c.widths[cid]
		if !known {
			width = c.usual
		}
		char.Width = width
		if c.vertical {
			if char.Width, known = c.heights[cid]; !known {
				char.Width = c.height
			}
		}
		draw(char)
	}
}

// maxWidths is how many widths of a font are read. Ranges may overlap.
const maxWidths = 1 << 18

// readWidths reads the widths of glyphs (W). An entry is a first glyph and a list of widths,
// or a first and a last glyph and one width for the range.
func (c *composite) readWidths(f *object.File, d object.Dict) {
	c.widths = map[int]float64{}
	if usual := f.Resolve(d["DW"]); object.IsNumber(usual) {
		c.usual = object.Float(usual) / kilo
	}
	list, left := f.Array(d["W"]), maxWidths
	for i := 0; i+1 < len(list); {
		first, second := object.Int(f.Resolve(list[i])), f.Resolve(list[i+1])
		if each, is := second.(object.Array); is {
			for n := range each {
				if left--; left < 0 {
					return
				}
				c.widths[first+n] = object.Float(f.Resolve(each[n])) / kilo
			}
			i += 2
			continue
		}
		if i+2 >= len(list) {
			return
		}
		width := object.Float(f.Resolve(list[i+2])) / kilo
		for n := max(0, first); n <= min(object.Int(second), 1<<16-1); n++ {
			if left--; left < 0 {
				return
			}
			c.widths[n] = width
		}
		i += 3
	}
}

// readHeights reads how far vertical glyphs advance (DW2 and W2).
func (c *composite) readHeights(f *object.File, d object.Dict) {
	c.heights, c.height = map[int]float64{}, -1
	if usual := f.Array(d["DW2"]); len(usual) == 2 {
		c.height = object.Float(f.Resolve(usual[1])) / kilo
	}
	list, left := f.Array(d["W2"]), maxWidths
	for i := 0; i+1 < len(list); {
		first, second := object.Int(f.Resolve(list[i])), f.Resolve(list[i+1])
		if each, is := second.(object.Array); is {
			for n := 0; n+2 < len(each) && left > 0; n += 3 {
				left--
				c.heights[first+n/3] = object.Float(f.Resolve(each[n])) / kilo
			}
			i += 2
			continue
		}
		if i+4 >= len(list) {
			return
		}
		for n := max(0, first); n <= min(object.Int(second), 1<<16-1) && left > 0; n++ {
			left--
			c.heights[n] = object.Float(f.Resolve(list[i+2])) / kilo
		}
		i += 5
	}
}
