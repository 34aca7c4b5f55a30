package pdf

import (
	"math"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/svcflow/svc/engine/limit"
)

// writer collects the text of a page, in drawing order. PDF does not mark the ends of words
// and lines, so they are inferred from the positions of texts.
type writer struct {
	text strings.Builder
	full bool

	fonts map[string]*font
	font  *font
	size  float64 // of the font

	line, at matrix  // start of the line, and of the next character
	leading  float64 // distance between lines
	lastX    float64 // end of the previous character
	lastY    float64
	steps    int
}

// Form XObjects can draw others, so a small page may draw without end.
const (
	maxDepth = 8
	maxSteps = 5_000_000
	// Gaps larger than wordGap times the font size separate words; those larger than
	// lineGap separate lines.
	wordGap = 0.2
	lineGap = 0.4
	// kern is the unit of the gaps in a TJ array: a thousandth of the font size.
	kern = 1000
)

type matrix [6]float64

func (m matrix) moved(x, y float64) matrix {
	m[4], m[5] = x*m[0]+y*m[2]+m[4], x*m[1]+y*m[3]+m[5]
	return m
}

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// run executes a content stream.
func (w *writer) run(stream, resources pdf.Value, depth int) {
	if stream.IsNull() || depth > maxDepth || w.full {
		return
	}
	outer := w.fonts
	w.fonts = map[string]*font{}
	defer func() { w.fonts = outer }()
	pdf.Interpret(stream, func(stack *pdf.Stack, operator string) {
		args := popAll(stack)
		if w.steps++; w.steps > maxSteps || w.text.Len() > limit.PagesText {
			w.full = true
		}
		if !w.full {
			w.obey(operator, args, resources, depth)
		}
	})
}

func (w *writer) obey(operator string, args []pdf.Value, resources pdf.Value, depth int) {
	number := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	switch operator {
	case "BT":
		w.line, w.at = identity(), identity()
	case "Tf":
		w.size = number(1)
		if len(args) > 0 {
			w.font = w.fontOf(args[0].Name(), resources)
		}
	case "TL":
		w.leading = number(0)
	case "TD":
		w.leading = -number(1)
		w.move(number(0), number(1))
	case "Td":
		w.move(number(0), number(1))
	case "Tm":
		for i := range w.line {
			w.line[i] = number(i)
		}
		w.at = w.line
	case "T*":
		w.move(0, -w.leading)
	case "'", "\"":
		w.move(0, -w.leading)
		w.showLast(args)
	case "Tj", "TJ":
		w.showLast(args)
	case "Do":
		if len(args) > 0 {
			w.draw(resources.Key("XObject").Key(args[0].Name()), resources, depth)
		}
	}
}

func (w *writer) move(x, y float64) {
	w.line = w.line.moved(x, y)
	w.at = w.line
}

// draw executes a Form XObject. Images are ignored.
func (w *writer) draw(form, resources pdf.Value, depth int) {
	if form.Key("Subtype").Name() != "Form" {
		return
	}
	if own := form.Key("Resources"); !own.IsNull() {
		resources = own
	}
	w.run(form, resources, depth+1)
}

// showLast writes the last argument: a text, or an array of texts and gaps.
func (w *writer) showLast(args []pdf.Value) {
	if len(args) == 0 {
		return
	}
	last := args[len(args)-1]
	if last.Kind() == pdf.String {
		w.show(last.RawString())
		return
	}
	for i := range last.Len() {
		if part := last.Index(i); part.Kind() == pdf.String {
			w.show(part.RawString())
		} else {
			w.at = w.at.moved(-part.Float64()/kern*w.size, 0)
		}
	}
}

func (w *writer) show(raw string) {
	if w.font == nil || raw == "" {
		return
	}
	size := math.Abs(w.size) * max(math.Hypot(w.at[0], w.at[1]), math.Hypot(w.at[2], w.at[3]))
	x, y := w.at[4], w.at[5]
	text := w.font.decode(raw)
	switch written := w.text.String(); {
	case written == "" || strings.HasSuffix(written, "\n"):
	case math.Abs(y-w.lastY) > lineGap*size:
		w.text.WriteByte('\n')
	case math.Abs(x-w.lastX) > wordGap*size && !strings.HasSuffix(written, " ") && !strings.HasPrefix(text, " "):
		w.text.WriteByte(' ')
	}
	w.text.WriteString(text)
	w.at = w.at.moved(w.font.width(raw)/kern*w.size, 0)
	w.lastX, w.lastY = w.at[4], w.at[5]
}
