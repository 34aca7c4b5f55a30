package inspector

import (
	"reflect"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
)

// spelling is the form in which a value of an input of any type is typed.
type spelling uint8

const (
	asText spelling = iota
	asNumber
	asJSON
)

// anything is a control for an input of any type: a text, a number, or JSON. Until the user
// chooses one of them, the control guesses from the input.
type anything struct {
	*writer

	port    *node.Port
	now     spelling
	chosen  bool // by the user, or from the value in the document
	choices []*glyph
	row     fyne.CanvasObject
}

func anyControl(d *editor, p *node.Port, out outlet) control {
	a := &anything{port: p}
	a.writer = writerOf(newEntry(d, rowsOf(p), true), p, out)
	a.hint = a.placeholder
	a.box.core().OnChanged = a.typed
	a.again = a.typed
	for i, name := range []string{lang.L("Text"), lang.L("Number"), "JSON"} {
		choice := newLink(name, func() { a.choose(spelling(i)) })
		a.choices = append(a.choices, choice)
		a.extra = append(a.extra, choice)
	}
	expression := newLink(lang.L("Expression"), func() { d.express(p.Name) })
	expression.ink = kit.Dim
	a.extra = append(a.extra, expression)
	a.row = kit.Row(8, a.choices[0], a.choices[1], a.choices[2], expression)
	a.spell(asText)
	return a
}

// beside implements heading's hook for the object beside the name of a control.
func (a *anything) beside() fyne.CanvasObject { return a.row }

// choose changes the spelling as the user has chosen.
func (a *anything) choose(s spelling) {
	a.chosen = true
	a.spell(s)
	a.writer.typed(a.box.core().Text)
}

// spell switches to another spelling.
func (a *anything) spell(s spelling) {
	a.now, a.syntax = s, spelt(s, a.port)
	for i, c := range a.choices {
		c.ink = kit.Dim
		if spelling(i) == s {
			c.ink = kit.Accent
		}
		c.Refresh()
	}
	if e := a.box.core(); e.TextStyle.Monospace != (s == asJSON) {
		e.TextStyle.Monospace = s == asJSON
		e.Refresh()
	}
}

func (a *anything) typed(text string) {
	if !a.chosen {
		a.spell(guess(text))
	}
	a.writer.typed(text)
}

// set shows a value of the document, in the spelling that suits it.
func (a *anything) set(v any, given bool) {
	if a.ready && a.given == given && reflect.DeepEqual(a.had, v) {
		return
	}
	now, is, err := a.syntax.read(a.box.core().Text)
	switch mine := err == nil && is == given && (!given || reflect.DeepEqual(now, v)); {
	case mine:
	case !given:
		a.chosen = false
		a.spell(asText)
	default:
		a.chosen = true
		a.spell(spellingOf(v))
	}
	a.writer.set(v, given)
}

func (a *anything) placeholder(v any, given bool) string {
	if !given && a.port.Default == nil {
		if a.port.Required() {
			return lang.L("Text, a number or JSON")
		}
		return lang.L("not set")
	}
	return placeholder(a.port, v, given)
}

// guess guesses the spelling that the user means.
func guess(text string) spelling {
	text = strings.TrimSpace(text)
	if text == "true" || text == "false" || text == "null" || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || strings.HasPrefix(text, `"`) {
		return asJSON
	}
	if v, err := value.Decode([]byte(text)); err == nil {
		return spellingOf(v)
	}
	return asText
}

func spellingOf(v any) spelling {
	switch v.(type) {
	case string:
		return asText
	case int, float64:
		return asNumber
	}
	return asJSON
}

// anyNumber keeps integers and floats apart.
func anyNumber() syntax {
	s := numberSyntax(value.Float())
	fits := s.read
	s.read = func(text string) (any, bool, error) {
		if _, given, err := fits(text); !given || err != nil {
			return nil, false, err
		}
		v, err := value.Decode([]byte(strings.TrimSpace(text)))
		return v, true, err
	}
	return s
}

// spelt returns the syntax of a port's values in a spelling.
func spelt(s spelling, p *node.Port) syntax {
	switch s {
	case asText:
		return stringSyntax(p)
	case asNumber:
		return anyNumber()
	case asJSON:
	}
	return jsonSyntax(p)
}
