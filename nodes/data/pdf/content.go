package pdf

import (
	"math"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/data/pdf/font"
	"github.com/svcflow/svc/nodes/data/pdf/layout"
	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// matrix is a transformation of the plane, as PDF writes it.
type matrix [6]float64

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// times returns the transformation that does m first and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// point transforms a point, and delta a distance.
func (m matrix) point(x, y float64) (float64, float64) {
	return x*m[0] + y*m[2] + m[4], x*m[1] + y*m[3] + m[5]
}

func (m matrix) delta(x, y float64) (float64, float64) {
	return x*m[0] + y*m[2], x*m[1] + y*m[3]
}

// state is the part of the graphics state that concerns text.
type state struct {
	ctm     matrix
	font    *font.Font
	size    float64
	chars   float64 // space after each character
	words   float64 // space after each space character
	stretch float64 // horizontal scale
	leading float64 // distance between lines
	rise    float64
}

// writer executes the content of a page.
type writer struct {
	file  *object.File
	page  *layout.Page
	fonts map[object.Ref]*font.Font // of the document
	full  bool

	state
	saved    []state
	line, at matrix // start of the line, and of the next character
	steps    int
	position int // in the content, in bytes of text
	marks    []mark
	hidden   int                 // how many marks hide their content
	replaced int                 // how many marks have a text of their own
	layers   map[object.Ref]bool // hidden layers
	letters  int                 // characters that were drawn
	unknown  int                 // of them, those whose text is not known
	damaged  error
}

// mark is marked content.
type mark struct {
	hides bool
	text  *string // replaces what is drawn
	drawn bool
	first layout.Char // the first character that is replaced
}

// Form XObjects can draw others, so a small page may draw without end.
const (
	maxDepth = 12
	maxSteps = 5_000_000
	maxSaved = 1000
	maxMarks = 1000
)

// run executes a content stream.
func (w *writer) run(content []byte, resources object.Dict, depth int) {
	if depth > maxDepth || w.full {
		return
	}
	local := map[object.Name]*font.Font{}
	l := object.NewLexer(content)
	var args []any
	for !w.full {
		t, more := l.Next()
		if !more {
			return
		}
		op, is := t.(object.Operator)
		if !is {
			if args = append(args, t); len(args) > 64 {
				args = args[1:]
			}
			continue
		}
		if w.steps++; w.steps > maxSteps || w.page.Bytes > limit.PagesText {
			w.full = true
		}
		if op == "BI" {
			l.SkipImage()
		} else {
			w.obey(string(op), args, resources, local, depth)
		}
		args = args[:0]
	}
}

func (w *writer) obey(op string, args []any, resources object.Dict, local map[object.Name]*font.Font, depth int) {
	number := func(i int) float64 {
		if i < len(args) {
			return object.Float(args[i])
		}
		return 0
	}
	switch op {
	case "q":
		if len(w.saved) < maxSaved {
			w.saved = append(w.saved, w.state)
		}
	case "Q":
		if n := len(w.saved); n > 0 {
			w.state, w.saved = w.saved[n-1], w.saved[:n-1]
		}
	case "cm":
		w.ctm = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}.times(w.ctm)
	case "Do":
		if name, is := last(args).(object.Name); is {
			w.draw(w.file.Resolve(w.file.Dict(resources["XObject"])[name]), resources, depth)
		}
	case "gs":
		if name, is := last(args).(object.Name); is {
			if f := w.file.Array(w.file.Dict(w.file.Dict(resources["ExtGState"])[name])["Font"]); len(f) == 2 {
				w.setFont(f[0], object.Float(w.file.Resolve(f[1])))
			}
		}
	case "BDC", "BMC":
		w.begin(args, resources)
	case "EMC":
		w.end()
	case "Tf":
		if len(args) > 1 {
			name, _ := args[0].(object.Name)
			w.useFont(name, number(1), resources, local)
		}
	default:
		w.text(op, args, number)
	}
}

func last(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[len(args)-1]
}

// text executes an operator of text.
func (w *writer) text(op string, args []any, number func(int) float64) {
	switch op {
	case "BT":
		w.line, w.at = identity(), identity()
	case "Tc":
		w.chars = number(0)
	case "Tw":
		w.words = number(0)
	case "Tz":
		w.stretch = number(0) / 100
	case "TL":
		w.leading = number(0)
	case "Ts":
		w.rise = number(0)
	case "TD":
		w.leading = -number(1)
		w.move(number(0), number(1))
	case "Td":
		w.move(number(0), number(1))
	case "Tm":
		w.line = matrix{number(0), number(1), number(2), number(3), number(4), number(5)}
		w.at = w.line
	case "T*":
		w.move(0, -w.leading)
	case "'":
		w.move(0, -w.leading)
		w.show(last(args))
	case "\"":
		if len(args) > 2 {
			w.words, w.chars = number(0), number(1)
		}
		w.move(0, -w.leading)
		w.show(last(args))
	case "Tj", "TJ":
		w.show(last(args))
	}
}

func (w *writer) move(x, y float64) {
	w.line = matrix{1, 0, 0, 1, x, y}.times(w.line)
	w.at = w.line
}

// useFont sets the font with a name in the resources.
func (w *writer) useFont(name object.Name, size float64, resources object.Dict, local map[object.Name]*font.Font) {
	of := w.file.Dict(resources["Font"])[name]
	if _, is := of.(object.Ref); is || of == nil {
		w.setFont(of, size)
		return
	}
	if local[name] == nil {
		local[name] = font.New(w.file, w.file.Dict(of))
	}
	w.font, w.size = local[name], size
}

func (w *writer) setFont(of any, size float64) {
	ref, _ := of.(object.Ref)
	f := w.fonts[ref]
	if f == nil {
		f = font.New(w.file, w.file.Dict(of))
		w.fonts[ref] = f
	}
	w.font, w.size = f, size
}

// draw executes a Form XObject. Images are ignored.
func (w *writer) draw(o any, resources object.Dict, depth int) {
	form, is := o.(*object.Stream)
	if !is || w.file.Name(form.Dict["Subtype"]) != "Form" || w.hides(form.Dict["OC"]) {
		return
	}
	w.drawForm(form, identity(), resources, depth)
}

// drawForm executes a form after a transformation.
func (w *writer) drawForm(form *object.Stream, placed matrix, resources object.Dict, depth int) {
	if depth >= maxDepth {
		return
	}
	if own := w.file.Dict(form.Dict["Resources"]); own != nil {
		resources = own
	}
	data, err := w.file.Decode(form)
	if err != nil {
		w.damaged = err
	}
	outer, saved, line, at := w.state, w.saved, w.line, w.at
	w.saved = nil
	w.ctm = matrixOf(w.file, form.Dict["Matrix"]).times(placed).times(w.ctm)
	w.run(data, resources, depth+1)
	w.state, w.saved, w.line, w.at = outer, saved, line, at
}

func matrixOf(f *object.File, o any) matrix {
	list := f.Array(o)
	if len(list) != 6 {
		return identity()
	}
	var m matrix
	for i := range m {
		m[i] = object.Float(f.Resolve(list[i]))
	}
	return m
}

// show draws a text, or an array of texts and gaps.
func (w *writer) show(o any) {
	if w.font == nil {
		return
	}
	switch o := o.(type) {
	case object.String:
		w.showText(string(o))
	case object.Array:
		for _, part := range o {
			if text, is := part.(object.String); is {
				w.showText(string(text))
			} else if gap := -object.Float(part) / 1000 * w.size; w.font.Vertical {
				w.at = matrix{1, 0, 0, 1, 0, gap}.times(w.at)
			} else {
				w.at = matrix{1, 0, 0, 1, gap * w.stretch, 0}.times(w.at)
			}
		}
	}
}

func (w *writer) showText(raw string) {
	all := w.at.times(w.ctm)
	c := layout.Char{Font: w.font, Ascent: w.font.Ascent, Descent: w.font.Descent, Vertical: w.font.Vertical}
	c.Size = math.Hypot(all.delta(0, w.size)) * w.font.Scale
	c.Turn = turn(all, w.size, w.stretch)
	if c.Vertical {
		c.Turn = (c.Turn + 1) % 4
	}
	w.font.Chars(raw, func(char font.Char) {
		if w.steps++; w.steps > maxSteps {
			w.full = true
			return
		}
		dx, dy := char.Width*w.size, 0.0
		space, wordSpace := w.chars, 0.0
		if char.Size == 1 && char.Code == ' ' {
			wordSpace = w.words
		}
		if w.font.Vertical {
			dx, dy = 0, dx
		}
		c.Text = char.Text
		c.X, c.Y = w.at.times(w.ctm).point(0, w.rise)
		c.DX, c.DY = all.delta(dx*w.stretch, dy)
		c.Position, c.Bytes = w.position, char.Size
		w.put(&c)
		w.position += char.Size
		if w.font.Vertical {
			w.at = matrix{1, 0, 0, 1, 0, dy + space + wordSpace}.times(w.at)
		} else {
			w.at = matrix{1, 0, 0, 1, (dx + space + wordSpace) * w.stretch, 0}.times(w.at)
		}
	})
}

// put adds a character to the page, unless marked content hides or replaces it.
func (w *writer) put(c *layout.Char) {
	if w.hidden > 0 {
		return
	}
	w.letters++
	if c.Text == "" {
		w.unknown++
	}
	if w.replaced == 0 {
		w.page.Add(c)
		return
	}
	for i := range w.marks {
		m := &w.marks[i]
		if m.text == nil {
			continue
		}
		if !m.drawn {
			m.first, m.drawn = *c, true
		} else {
			m.first.DX, m.first.DY = c.X+c.DX-m.first.X, c.Y+c.DY-m.first.Y
			m.first.Bytes += c.Bytes
		}
		if c.Text == "" {
			w.unknown--
		}
		return
	}
}

// turn returns the direction in which text runs.
func turn(m matrix, size, stretch float64) layout.Turn {
	a, b, c, d := m[0]*size*stretch, m[1]*size*stretch, m[2]*size, m[3]*size
	// y runs downwards on the page, so upright letters have a negative d.
	if math.Abs(a*d) > math.Abs(b*c) {
		if a > 0 || d < 0 {
			return 0
		}
		return 2
	}
	if c > 0 {
		return 1
	}
	return 3
}
