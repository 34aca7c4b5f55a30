package media

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/colornames"
)

// op defines an operation: its arguments, the facts of its result, and its filters.
type op struct {
	inputs  [2]int // smallest and largest number of inputs
	numbers map[string]span
	words   map[string]string // the choices, as "a|b"; "color" and "font" admit any of these
	text    int               // longest text, in bytes
	spans   int               // largest number of spans
	// facts returns the facts of the result, or an error if the step cannot work.
	facts func(s *Step, in []Facts) (Facts, error)
	// idle reports that the step changes nothing.
	idle func(s *Step, in Facts) bool
	// picture and sound make the filters of a step; nil passes those of the first input on
	// unchanged.
	picture, sound func(b *builder, s *Step, out Facts) stream
}

// span is the range of a number.
type span struct{ from, to float64 }

// The largest values of any step.
const (
	maxSide    = 16_384
	maxPixels  = 100_000_000
	maxSeconds = 24 * 60 * 60
	maxRate    = 240
	maxFrames  = 5_000_000
)

func opOf(name string) (op, bool) {
	for _, find := range []func(string) (op, bool){timeOp, pictureOp, overOp, soundOp, joinOp, makeOp, captionOp} {
		if o, ok := find(name); ok {
			return o, true
		}
	}
	return op{}, false
}

// check checks the arguments of a step.
func (s *Step) check() (op, error) {
	o, ok := opOf(s.Op)
	if !ok {
		return o, malformed("it has an operation that there is not here")
	}
	if n := len(s.In); n < o.inputs[0] || n > o.inputs[1] {
		return o, malformed("the step " + s.Op + " has not as many inputs as it takes")
	}
	if len(s.Numbers) != len(o.numbers) || len(s.Words) != len(o.words) || len(s.Text) > o.text || len(s.Spans) > o.spans {
		return o, malformed("the step " + s.Op + " has not the arguments that it takes")
	}
	for name, bounds := range o.numbers {
		n, given := s.Numbers[name]
		if !given {
			return o, malformed("the step " + s.Op + " has not the arguments that it takes")
		}
		if math.IsNaN(n) || n < bounds.from || n > bounds.to {
			return o, refused("%s is %s; it may be from %s to %s", name, num(n), num(bounds.from), num(bounds.to))
		}
	}
	for name, choices := range o.words {
		word, given := s.Words[name]
		if !given || !fits(word, choices) {
			return o, refused("%s cannot be %q; it has to be %s", name, brief(word), wanted(choices))
		}
	}
	if !utf8.ValidString(s.Text) || len(s.Node) > 512 {
		return o, malformed("the step " + s.Op + " has a text that is none")
	}
	return o, checkSpans(s.Spans)
}

func checkSpans(spans []Span) error {
	for _, p := range spans {
		if !(p.Start >= 0 && p.End >= p.Start && p.End <= maxSeconds) || !utf8.ValidString(p.Text) {
			return refused("a time from %s to %s s is none; it has to begin before it ends", num(p.Start), num(p.End))
		}
	}
	return nil
}

func wanted(choices string) string {
	switch choices {
	case "color":
		return "a colour such as #FF8800 or orange"
	case "font":
		return "the name of a font, of letters, digits and spaces"
	}
	return "one of " + strings.ReplaceAll(choices, "|", ", ")
}

func fits(word, choices string) bool {
	switch choices {
	case "color":
		_, ok := colorOf(word)
		return ok
	case "font":
		return isFont(word)
	}
	return slices.Contains(strings.Split(choices, "|"), word)
}

// colorOf returns a colour as ffmpeg takes it, 0xRRGGBBAA.
func colorOf(text string) (string, bool) {
	if hex, ok := strings.CutPrefix(text, "#"); ok {
		if len(hex) == 6 {
			hex += "FF"
		}
		n, err := strconv.ParseUint(hex, 16, 32)
		if err != nil || len(hex) != 8 {
			return "", false
		}
		digits := strings.ToUpper(strconv.FormatUint(n, 16))
		return "0x" + strings.Repeat("0", 8-len(digits)) + digits, true
	}
	if text == "transparent" {
		return "0x00000000", true
	}
	c, ok := colornames.Map[strings.ToLower(text)]
	if !ok {
		return "", false
	}
	digits := strings.ToUpper(strconv.FormatUint(uint64(c.R)<<24|uint64(c.G)<<16|uint64(c.B)<<8|uint64(c.A), 16))
	return "0x" + strings.Repeat("0", 8-len(digits)) + digits, true
}

// isFont reports whether a text is a safe name of a font: it has no characters that are special
// to fontconfig.
func isFont(name string) bool {
	return name != "" && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' '
	}) < 0 && strings.TrimSpace(name) == name
}

// equal reports whether two steps have the same operation, arguments and inputs.
func (s *Step) equal(t Step) bool {
	return s.Op == t.Op && s.Node == t.Node && slices.Equal(s.In, t.In) && maps.Equal(s.Numbers, t.Numbers) && maps.Equal(s.Words, t.Words) &&
		s.Text == t.Text && slices.Equal(s.Spans, t.Spans)
}

func (s *Step) n(name string) float64 { return s.Numbers[name] }

func (s *Step) int(name string) int { return int(s.Numbers[name]) }

func (s *Step) color(name string) string {
	c, _ := colorOf(s.Words[name]) // was checked before
	return c
}

// num prints a number for ffmpeg.
func num(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func brief(text string) string {
	if len(text) > 64 {
		return strings.ToValidUTF8(text[:64], "") + "…"
	}
	return text
}

// safeName reports whether a path can be the name of a filter without escaping.
func safeName(path string) bool {
	return path != "" && len(path) <= 100 && strings.IndexFunc(path, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_./-", r)
	}) < 0
}
