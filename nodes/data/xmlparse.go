package data

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html/charset"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type xmlParseIn struct {
	source

	Lists      []string `port:"lists" default:"[]" doc:"Elements that are always lists, also where there is one only."`
	Attributes string   `port:"attributes" default:"@" doc:"What stands before the names of attributes."`
}

type valueOut struct {
	Value any `port:"value" doc:"What was read."`
}

// textKey is the field for the text of an element that also has attributes or child
// elements.
const textKey = "#text"

func (d disk) xmlParseNode() node.Node {
	return fromOne(node.Func("data.xml_parse", "Read XML", d.xmlParse).
		Aliases("xml, soap, parse xml, xml to json", "xml, soap, xml lesen, xml umwandeln").
		Example(map[string]any{"text": `<order id="7"><item>tea</item><item>milk</item></order>`}).Doc(
		"Makes records of XML: `<order id=\"7\"><item>tea</item><item>milk</item></order>` gives `{\"order\":{\"@id\":\"7\",\"item\":[\"tea\",\"milk\"]}}`. " +
			"An element that stands once is a value, several are a list; `lists` names those that are always one. An element with attributes or elements has its own text " +
			"in `#text`. All values are texts; an empty element is an empty text. Prefixes stay as they are written.\n\n" +
			"Entities of a document's own are refused, and nothing outside of it is read. What is malformed fails with its line."))
}

func (d disk) xmlParse(ctx context.Context, in xmlParseIn) (valueOut, error) {
	text, err := d.whole(ctx, in.source, markupTimes)
	if err != nil {
		return valueOut{}, err
	}
	p := newXMLParser(in, text)
	for {
		token, err := p.d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.take(token)
		}
		if err == nil && ctx.Err() != nil {
			return valueOut{}, ctx.Err()
		}
		if err != nil {
			return valueOut{}, p.failure(err)
		}
	}
	if len(p.open) > 0 {
		return valueOut{}, p.failure(fmt.Errorf("<%s> is not closed", p.open[len(p.open)-1].name))
	}
	if p.root == nil {
		return valueOut{}, wrong("there is no element in it")
	}
	return valueOut{p.root}, bounded(p.root)
}

// xmlParser converts tokens to a value.
type xmlParser struct {
	d         *xml.Decoder
	lists     map[string]bool
	attribute string
	open      []element
	root      map[string]any
	elements  int
}

// element is an open element.
type element struct {
	name     string
	children map[string]any
	text     []byte
}

func newXMLParser(in xmlParseIn, text string) *xmlParser {
	p := &xmlParser{d: xml.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))), lists: map[string]bool{}, attribute: in.Attributes}
	p.d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if in.Text != nil {
			return r, nil // a text is already UTF-8, whatever its declaration says
		}
		return charset.NewReaderLabel(label, r)
	}
	for _, name := range in.Lists {
		p.lists[name] = true
	}
	return p
}

func (p *xmlParser) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t)
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
		if strings.Contains(string(t), "ENTITY") {
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

func (p *xmlParser) start(t xml.StartElement) error {
	if p.elements++; p.elements > limit.Unfolded {
		return tooMuch("there are more than %d elements", limit.Unfolded)
	}
	if len(p.open) >= value.MaxDepth {
		return tooMuch("elements nest deeper than %d", value.MaxDepth)
	}
	if len(p.open) == 0 && p.root != nil {
		return fmt.Errorf("<%s> stands behind the root element", nameOf(t.Name))
	}
	e := element{name: nameOf(t.Name)}
	for _, a := range t.Attr {
		e.add(p.attribute+nameOf(a.Name), a.Value, false)
	}
	p.open = append(p.open, e)
	return nil
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

func (p *xmlParser) end(name string) error {
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
	if strings.TrimSpace(text) != "" {
		e.children[textKey] = text
	}
	return e.children
}

// failure adds the line to err.
func (p *xmlParser) failure(err error) error {
	if known, ok := errors.AsType[*node.Error](err); ok {
		line, _ := p.d.InputPos()
		return tooMuch("line %d: %s", line, known.Message)
	}
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return wrong("line %d: %s", syntax.Line, syntax.Msg)
	}
	line, column := p.d.InputPos()
	return wrong("line %d, column %d: %w", line, column, err)
}
