package font

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// readSimple reads a font whose codes have one byte.
func (n *Font) readSimple(f *object.File, d object.Dict, subtype object.Name) {
	n.simple = &[256]char{}
	standard := standardFont(n.Name)
	descriptor := f.Dict(d["FontDescriptor"])
	if m, known := metrics[standard]; known {
		n.Ascent, n.Descent = m.ascent, m.descent
	}
	n.describe(f, descriptor)
	names, differ := n.encoding(f, d, descriptor, subtype, standard)
	n.readTexts(f, d, names, differ)
	n.readWidths(f, d, descriptor, names, standard)
	if subtype == "Type3" {
		n.readType3(f, d, names)
	}
}

// encoding returns the name of the glyph of each code, and which of them Differences gives.
func (n *Font) encoding(f *object.File, d, descriptor object.Dict, subtype object.Name, standard string) (names [256]string, differ [256]bool) {
	encoding := f.Resolve(d["Encoding"])
	base, _ := encoding.(object.Name)
	details, _ := encoding.(object.Dict)
	if details != nil {
		base = f.Name(details["BaseEncoding"])
	}
	symbolic := object.Int(f.Resolve(descriptor["Flags"]))&4 != 0
	switch own := n.program(f, descriptor); {
	case base == "MacRomanEncoding":
		names = *encodings()["MacRoman"]
	case base == "MacExpertEncoding":
		names = *encodings()["MacExpert"]
	case base == "WinAnsiEncoding":
		names = *encodings()["WinAnsi"]
	case standard == "Symbol" || standard == "ZapfDingbats":
		names = *encodings()[standard]
	case own != nil:
		names = *own
	case subtype == "Type3":
	case subtype == "TrueType" && (!symbolic || details != nil || base != ""):
		names = *encodings()["WinAnsi"]
	case subtype == "TrueType": // codes are those of the font program, mostly the same
		names = *encodings()["WinAnsi"]
	default:
		names = *encodings()["Standard"]
	}
	code := 0
	for _, o := range f.Array(details["Differences"]) {
		switch o := f.Resolve(o).(type) {
		case object.Name:
			if code >= 0 && code < 256 {
				names[code], differ[code] = string(o), true
			}
			code++
		case int, float64:
			code = object.Int(o)
		}
	}
	return names, differ
}

// program returns the encoding that an embedded Type 1 font has itself, or nil.
func (n *Font) program(f *object.File, descriptor object.Dict) *[256]string {
	if s, is := f.Resolve(descriptor["FontFile"]).(*object.Stream); is {
		data, _ := f.Decode(s)
		return type1Encoding(data)
	}
	if s, is := f.Resolve(descriptor["FontFile3"]).(*object.Stream); is {
		data, _ := f.Decode(s)
		return cffEncoding(data)
	}
	return nil
}

// type1Encoding reads the encoding in the clear text of a Type 1 font: lines such as
// "dup 65 /A put".
func type1Encoding(data []byte) *[256]string {
	if at := bytes.Index(data, []byte("eexec")); at >= 0 {
		data = data[:at]
	}
	at := bytes.Index(data, []byte("/Encoding"))
	if at < 0 {
		return nil
	}
	data = data[at:]
	if bytes.HasPrefix(bytes.TrimSpace(data[len("/Encoding"):]), []byte("StandardEncoding")) {
		return encodings()["Standard"]
	}
	var names [256]string
	put := regexp.MustCompile(`dup\s+(\d+#?[0-9a-fA-F]*)\s*/(\S+)\s+put`)
	for _, m := range put.FindAllSubmatch(data, 512) {
		digits, base := string(m[1]), 10
		if octal, is := strings.CutPrefix(digits, "8#"); is {
			digits, base = octal, 8
		} else if hex, is := strings.CutPrefix(digits, "16#"); is {
			digits, base = hex, 16
		}
		if code, err := strconv.ParseUint(digits, base, 8); err == nil {
			names[code] = string(m[2])
		}
	}
	return &names
}

// readTexts fills in the text of each code: ToUnicode, or the name of its glyph.
func (n *Font) readTexts(f *object.File, d object.Dict, names [256]string, differ [256]bool) {
	hex := false
	for code, name := range names { // names such as C2F: all are hexadecimal if one is
		if differ[code] && len(name) == 3 && nameText(name) == "" && strings.ContainsAny(name[1:], "abcdefABCDEF") && numbered(name, true) != "" {
			hex = true
		}
	}
	known := texts(f, d)
	for code, name := range names {
		text, has := known[code]
		if !has || text == "" {
			if r, is := dingbats()[name]; is && strings.Contains(n.Name, "Dingbats") {
				text = string(r)
			} else if text = nameText(name); text == "" && name != "" && differ[code] {
				text = numbered(name, hex)
			}
		}
		n.simple[code].text = expand(text)
	}
}

// readWidths fills in the width of each code.
func (n *Font) readWidths(f *object.File, d, descriptor object.Dict, names [256]string, standard string) {
	list := f.Array(d["Widths"])
	unit := 1.0 / kilo
	if list != nil {
		missing := object.Float(f.Resolve(descriptor["MissingWidth"])) * unit
		first := object.Int(f.Resolve(d["FirstChar"]))
		for code := range n.simple {
			n.simple[code].width = missing
			if i := code - first; i >= 0 && i < len(list) {
				n.simple[code].width = object.Float(f.Resolve(list[i])) * unit
			}
		}
		return
	}
	if standard == "" {
		standard = n.substitute(object.Int(f.Resolve(descriptor["Flags"])))
	}
	table := widths()[standard]
	for code, name := range names {
		switch width, known := table[name]; {
		case standard == "Courier":
			n.simple[code].width = 600 * unit
		case known:
			n.simple[code].width = width * unit
		}
	}
}

// substitute returns the standard font that is most like one without widths.
func (n *Font) substitute(flags int) string {
	const fixed, serif, italic, bold = 1, 2, 64, 1 << 18
	isBold, isItalic := flags&bold != 0 || strings.Contains(n.Name, "Bold"), flags&italic != 0 || strings.Contains(n.Name, "Italic")
	switch {
	case flags&fixed != 0 || strings.Contains(n.Name, "Courier"):
		return "Courier"
	case flags&serif != 0 && isBold && isItalic:
		return "Times-BoldItalic"
	case flags&serif != 0 && isBold:
		return "Times-Bold"
	case flags&serif != 0 && isItalic:
		return "Times-Italic"
	case flags&serif != 0:
		return "Times-Roman"
	case isBold:
		return "Helvetica-Bold"
	}
	return "Helvetica"
}

// metrics are the heights of the standard fonts.
var metrics = map[string]struct{ ascent, descent float64 }{ //nolint:gochecknoglobals // a constant table
	"Courier": {0.629, -0.157}, "Helvetica": {0.718, -0.207}, "Helvetica-Bold": {0.718, -0.207},
	"Times-Roman": {0.683, -0.217}, "Times-Bold": {0.683, -0.217}, "Times-Italic": {0.683, -0.217}, "Times-BoldItalic": {0.683, -0.217},
	"Symbol": {1.010, -0.293}, "ZapfDingbats": {0.820, -0.143},
}

// standardFont returns the standard font that the name of a font means, or "". Subsets have
// widths of their own.
func standardFont(name string) string {
	family, style := name, ""
	if at := strings.IndexAny(name, ",-"); at >= 0 {
		family, style = name[:at], name[at+1:]
	}
	isBold := strings.Contains(style, "Bold")
	isItalic := strings.Contains(style, "Italic") || strings.Contains(style, "Oblique")
	switch style {
	case "", "Roman", "Regular", "Bold", "BoldMT", "Italic", "ItalicMT", "Oblique", "BoldItalic", "BoldItalicMT", "BoldOblique":
	default:
		return ""
	}
	switch family {
	case "Courier", "CourierNew", "CourierNewPS", "CourierNewPSMT":
		return "Courier"
	case "Helvetica", "Arial", "ArialMT":
		if isBold {
			return "Helvetica-Bold"
		}
		return "Helvetica"
	case "Times", "TimesNewRoman", "TimesNewRomanPS", "TimesNewRomanPSMT":
		switch {
		case isBold && isItalic:
			return "Times-BoldItalic"
		case isBold:
			return "Times-Bold"
		case isItalic:
			return "Times-Italic"
		}
		return "Times-Roman"
	case "Symbol", "SymbolMT":
		return "Symbol"
	case "ZapfDingbats":
		return "ZapfDingbats"
	}
	return ""
}

// readType3 reads the matrix of a font whose glyphs are content streams. Widths are in its
// units. How large its letters are can be told by their widths only.
func (n *Font) readType3(f *object.File, d object.Dict, names [256]string) {
	matrix := [6]float64{0.001, 0, 0, 0.001, 0, 0}
	if m := f.Array(d["FontMatrix"]); len(m) == 6 {
		for i := range m {
			matrix[i] = object.Float(f.Resolve(m[i]))
		}
	}
	for code := range n.simple {
		n.simple[code].width *= kilo * matrix[0]
	}
	const widthM, widthLetter = 0.6, 0.5 // of an average font
	sample := 0.0
	for code, name := range names {
		width := n.simple[code].width
		isLetter := len(name) == 1 && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'
		if name == "m" {
			sample = width / widthM
			break
		}
		if isLetter || sample == 0 && name != "" {
			sample = width / widthLetter
		}
	}
	if sample > 0 {
		n.Scale = sample
	}
	if matrix[0] != 0 {
		n.Scale *= max(matrix[3]/matrix[0], -matrix[3]/matrix[0])
	}
	if n.Scale == 0 {
		n.Scale = 1
	}
}
