package xmltree

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

// Options are the options of [Parse].
type Options struct {
	Lists      []string // names of elements that are lists even if there is one only
	Attributes string   // prefix of the names of attributes
}

// Parse returns the root element of a document that was decoded already: the encoding that
// it declares is ignored. HTML entities such as &nbsp; and blank lines before the
// declaration are repaired; anything else that is malformed is an error with its line.
func Parse(ctx context.Context, text string, o Options, notes *reading.Notes) (map[string]any, error) {
	text = repairStart(strings.TrimPrefix(text, "\ufeff"), notes)
	root, err := parse(ctx, text, o)
	if err == nil || !isEntity(err) {
		return root, err
	}
	repaired, changed := replaceEntities(text)
	if len(changed) == 0 {
		return nil, err
	}
	if root, err = parse(ctx, repaired, o); err != nil {
		return nil, err
	}
	for _, c := range changed {
		notes.Repaired(c.line, "", "the HTML entity %s is not declared; it was read as %q", c.name, c.text)
	}
	return root, nil
}

func parse(ctx context.Context, text string, o Options) (map[string]any, error) {
	p := newParser(text, o)
	for {
		token, err := p.d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.take(token)
		}
		if err == nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, p.failure(err)
		}
	}
	if len(p.open) > 0 {
		return nil, p.failure(fmt.Errorf("<%s> is not closed", p.open[len(p.open)-1].name))
	}
	if p.root == nil {
		return nil, reading.Invalid("there is no element in it")
	}
	if err := value.Bound(p.root); err != nil {
		return nil, reading.TooMuch("%w", err)
	}
	return p.root, nil
}

// parser converts tokens to a value.
type parser struct {
	d         *xml.Decoder
	source    string
	lists     map[string]bool
	attribute string
	open      []element
	root      map[string]any
	elements  int
	start     int64 // offset of the current token
}

// element is an open element.
type element struct {
	name     string
	children map[string]any
	text     []byte
	preserve bool // white space is content: xml:space="preserve"
}

func newParser(text string, o Options) *parser {
	p := &parser{d: xml.NewDecoder(strings.NewReader(text)), source: text, lists: map[string]bool{}, attribute: o.Attributes}
	p.d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for _, name := range o.Lists {
		p.lists[name] = true
	}
	return p
}

func (p *parser) take(token xml.Token) error {
	start := p.start
	p.start = p.d.InputOffset()
	switch t := token.(type) {
	case xml.StartElement:
		return p.begin(t, p.source[start:p.start])
	case xml.EndElement:
		return p.end(nameOf(t.Name))
	case xml.CharData:
		if len(p.open) > 0 {
			e := &p.open[len(p.open)-1]
			e.text = append(e.text, t...)
		} else if strings.TrimSpace(string(t)) != "" {
			return errors.New("text stands outside of the root element")
		}
	case xml.Directive:
		if strings.Contains(string(t), "<!ENTITY") {
			return errors.New("the document has entities of its own, which are not taken")
		}
	}
	return nil
}

func nameOf(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

func (p *parser) begin(t xml.StartElement, raw string) error {
	if p.elements++; p.elements > limit.Unfolded {
		return reading.TooMuch("there are more than %d elements", limit.Unfolded)
	}
	if len(p.open) >= value.MaxDepth {
		return reading.TooMuch("elements nest deeper than %d", value.MaxDepth)
	}
	if len(p.open) == 0 && p.root != nil {
		return fmt.Errorf("<%s> stands behind the root element", nameOf(t.Name))
	}
	e := element{name: nameOf(t.Name), preserve: len(p.open) > 0 && p.open[len(p.open)-1].preserve}
	if name, ok := repeated(t.Attr); ok {
		return fmt.Errorf("<%s> has the attribute %s twice", e.name, nameOf(name))
	}
	for _, a := range t.Attr {
		name := nameOf(a.Name)
		if name == "xml:space" {
			e.preserve = a.Value == "preserve"
		}
		e.add(p.attribute+name, attributeText(a.Value, raw), false)
	}
	p.open = append(p.open, e)
	return nil
}

// repeated returns the name of an attribute that there is twice.
func repeated(attrs []xml.Attr) (xml.Name, bool) {
	if len(attrs) < 2 {
		return xml.Name{}, false
	}
	seen := make(map[xml.Name]bool, len(attrs))
	for _, a := range attrs {
		if seen[a.Name] {
			return a.Name, true
		}
		seen[a.Name] = true
	}
	return xml.Name{}, false
}

// attributeText replaces line ends and tabs of an attribute by spaces, as XML 1.0 §3.3.3
// demands. The decoder does not. Those written as references, such as &#10;, stay.
func attributeText(text, raw string) string {
	if !strings.ContainsAny(text, "\n\t\r") || strings.Contains(raw, "&#") {
		return text
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ", "\r", " ").Replace(text)
}

func (e *element) add(name string, v any, list bool) {
	if e.children == nil {
		e.children = map[string]any{}
	}
	before, again := e.children[name]
	all, isList := before.([]any)
	switch {
	case isList:
		e.children[name] = append(all, v)
	case again:
		e.children[name] = []any{before, v}
	case list:
		e.children[name] = []any{v}
	default:
		e.children[name] = v
	}
}

func (p *parser) end(name string) error {
	if len(p.open) == 0 {
		return fmt.Errorf("</%s> closes nothing", name)
	}
	e := &p.open[len(p.open)-1]
	if e.name != name {
		return fmt.Errorf("</%s> stands where <%s> has to be closed", name, e.name)
	}
	v := e.value()
	p.open = p.open[:len(p.open)-1]
	if len(p.open) == 0 {
		p.root = map[string]any{name: v}
		return nil
	}
	p.open[len(p.open)-1].add(name, v, p.lists[name])
	return nil
}

func (e *element) value() any {
	text := strings.ToValidUTF8(string(e.text), "\uFFFD")
	if e.children == nil {
		return text
	}
	if text != "" && (e.preserve || strings.TrimSpace(text) != "") {
		e.children[TextKey] = text
	}
	return e.children
}

// failure adds the line to err.
func (p *parser) failure(err error) error {
	if known, ok := errors.AsType[*node.Error](err); ok {
		line, _ := p.d.InputPos()
		return reading.TooMuch("line %d: %s", line, known.Message)
	}
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return reading.Invalid("line %d: %w", syntax.Line, syntaxError{syntax})
	}
	line, column := p.d.InputPos()
	return reading.Invalid("line %d, column %d: %w", line, column, err)
}

// syntaxError prints a syntax error without its line.
type syntaxError struct{ err *xml.SyntaxError }

// Error implements error.
func (e syntaxError) Error() string { return e.err.Msg }
