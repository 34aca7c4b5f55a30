package pdf

import (
	"strings"

	"github.com/ledongthuc/pdf"
)

// font decodes the text of a font and measures it.
type font struct {
	of       pdf.Font
	encoding pdf.TextEncoding // nil until first used
	wide     bool             // composite font: each character has two bytes
	letters  map[int]string   // text by character code, for a composite font
	widths   map[int]float64  // by character code, in thousandths of the font size, for a composite font
	usual    float64
}

// mostLetters is how many characters of a font are read. Its ranges may overlap, so a small
// file can list very many.
const mostLetters = 1 << 18

// usualWidth is the width of characters if the font does not specify one.
const usualWidth = 500

// fontOf returns the font with this name in the resources.
func (w *writer) fontOf(name string, resources pdf.Value) *font {
	if f := w.fonts[name]; f != nil {
		return f
	}
	of := pdf.Font{V: resources.Key("Font").Key(name)}
	f := &font{of: of, usual: usualWidth}
	if of.V.Key("Subtype").Name() == "Type0" {
		f.wide, f.usual = true, kern
		f.readWidths(of.V.Key("DescendantFonts").Index(0))
		f.readLetters(of.V.Key("ToUnicode"))
	}
	w.fonts[name] = f
	return f
}

// readWidths reads the widths of a composite font (W). An entry is a first code and a list
// of widths, or a first and a last code and one width for the range.
func (f *font) readWidths(of pdf.Value) {
	left := mostLetters
	if usual := of.Key("DW"); !usual.IsNull() {
		f.usual = usual.Float64()
	}
	f.widths = map[int]float64{}
	list := of.Key("W")
	for i := 0; i+1 < list.Len(); {
		first, second := int(list.Index(i).Int64()), list.Index(i+1)
		if second.Kind() == pdf.Array {
			for n := 0; n < second.Len() && left > 0; n++ {
				f.widths[first+n] = second.Index(n).Float64()
				left--
			}
			i += 2
			continue
		}
		width := list.Index(i + 2).Float64()
		for n := max(0, first); n <= min(int(second.Int64()), 1<<16-1) && left > 0; n++ {
			f.widths[n] = width
			left--
		}
		i += 3
	}
}

// readLetters reads the ToUnicode map of a composite font. The library's own implementation
// ignores the high byte of ranges.
func (f *font) readLetters(table pdf.Value) {
	if table.Kind() != pdf.Stream {
		return
	}
	f.letters = map[int]string{}
	left := mostLetters
	pdf.Interpret(table, func(stack *pdf.Stack, operator string) {
		args := popAll(stack)
		switch operator {
		case "findresource":
			stack.Push(f.of.V) // the operator needs a value on the stack; it is not used
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				f.letters[codeOf(args[i])] = args[i+1].TextFromUTF16()
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				first, last := codeOf(args[i]), min(codeOf(args[i+1]), 1<<16-1)
				for n := first; n <= last && left > 0; n++ {
					f.letters[n] = letterOf(args[i+2], n-first)
					left--
				}
			}
		}
	})
}

// codeOf returns a character code from its bytes.
func codeOf(v pdf.Value) (n int) {
	raw := v.RawString()
	for i := range min(len(raw), 4) {
		n = n<<8 | int(raw[i])
	}
	return n
}

// letterOf returns the text of the character at offset far in a range. The range lists all
// texts, or only the first.
func letterOf(to pdf.Value, far int) string {
	if to.Kind() == pdf.Array {
		return to.Index(far).TextFromUTF16()
	}
	text := []rune(to.TextFromUTF16())
	if len(text) == 0 {
		return ""
	}
	text[len(text)-1] += rune(far)
	return string(text)
}

func popAll(stack *pdf.Stack) []pdf.Value {
	args := make([]pdf.Value, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	return args
}

func (f *font) decode(raw string) string {
	if len(f.letters) == 0 {
		if f.encoding == nil {
			f.encoding = f.of.Encoder()
		}
		return f.encoding.Decode(raw)
	}
	var text strings.Builder
	for i := 0; i+1 < len(raw); i += 2 {
		text.WriteString(f.letters[int(raw[i])<<8|int(raw[i+1])])
	}
	return text.String()
}

// width returns the width of a text in thousandths of the font size.
func (f *font) width(raw string) (sum float64) {
	if f.wide {
		for i := 0; i+1 < len(raw); i += 2 {
			if width, known := f.widths[int(raw[i])<<8|int(raw[i+1])]; known {
				sum += width
			} else {
				sum += f.usual
			}
		}
		return sum
	}
	for i := range len(raw) {
		if width := f.of.Width(int(raw[i])); width > 0 {
			sum += width
		} else {
			sum += f.usual
		}
	}
	return sum
}
