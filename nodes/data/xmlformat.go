package data

import (
	"context"
	"encoding/xml"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type xmlFormatIn struct {
	Value  map[string]any `port:"value" widget:"json" doc:"What to write, as data.xml_parse reads it."`
	Root   string         `port:"root" doc:"The name of the element around it."`
	Indent bool           `port:"indent" default:"true" doc:"Whether each element stands on a line of its own."`
}

type formattedOut struct {
	Text string `port:"text" doc:"What was written."`
}

func xmlFormatNode() node.Node {
	name := regexp.MustCompile(`^[\pL_][\pL\pN_.-]*(:[\pL_][\pL\pN_.-]*)?$`)
	format := func(ctx context.Context, in xmlFormatIn) (formattedOut, error) {
		var b strings.Builder
		w := xmlWriter{ctx: ctx, encoder: xml.NewEncoder(&b), name: name}
		if in.Indent {
			w.encoder.Indent("", "  ")
		}
		if err := w.element(in.Root, in.Value); err != nil {
			return formattedOut{}, err
		}
		if err := w.encoder.Close(); err != nil {
			return formattedOut{}, wrong("the XML cannot be written: %s", err)
		}
		return formattedOut{b.String()}, nil
	}
	return node.Func("data.xml_format", "Write XML", format).Pure().
		Aliases("xml, to xml, soap request, json to xml", "xml, xml schreiben, soap anfrage").
		Example(map[string]any{"root": "order", "value": map[string]any{"@id": 7, "item": []any{"tea", "milk"}}}).Doc(
		"Writes a record as XML: `{\"@id\":7,\"item\":[\"tea\",\"milk\"]}` with root = `order` gives `<order id=\"7\"><item>tea</item><item>milk</item></order>`. " +
			"A field that begins with `@` is an attribute, `#text` the text, a list an element for each item, and null an empty element. Fields come sorted by name.")
}

// xmlWriter writes values as XML elements.
type xmlWriter struct {
	ctx     context.Context
	encoder *xml.Encoder
	name    *regexp.Regexp
}

func (w *xmlWriter) element(name string, v any) error {
	if !w.name.MatchString(name) {
		return wrong("%q cannot be the name of an element or an attribute", cut(name))
	}
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	start := xml.StartElement{Name: xml.Name{Local: name}}
	record, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(record)) {
		attribute, ok := strings.CutPrefix(key, "@")
		if !ok {
			continue
		}
		if !w.name.MatchString(attribute) {
			return wrong("%q cannot be the name of an element or an attribute", cut(attribute))
		}
		text, err := xmlText(record[key])
		if err != nil {
			return err
		}
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: attribute}, Value: text})
	}
	if err := w.write(start); err != nil {
		return err
	}
	if err := w.inside(v, record); err != nil {
		return err
	}
	return w.write(start.End())
}

// inside writes the content of an element.
func (w *xmlWriter) inside(v any, record map[string]any) error {
	if record == nil {
		if items, isList := v.([]any); isList {
			for _, item := range items { // a list inside a list gives its items no name
				if err := w.element("item", item); err != nil {
					return err
				}
			}
			return nil
		}
		return w.text(v)
	}
	if text, ok := record[textKey]; ok {
		if err := w.text(text); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(record)) {
		if key == textKey || strings.HasPrefix(key, "@") {
			continue
		}
		items, isList := record[key].([]any)
		if !isList {
			items = []any{record[key]}
		}
		for _, item := range items {
			if err := w.element(key, item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *xmlWriter) text(v any) error {
	text, err := xmlText(v)
	if err != nil || text == "" {
		return err
	}
	if err := node.Hold(w.ctx, len(text)); err != nil {
		return err
	}
	return w.write(xml.CharData(text))
}

func (w *xmlWriter) write(t xml.Token) error {
	if err := w.encoder.EncodeToken(t); err != nil {
		return wrong("the XML cannot be written: %s", err)
	}
	return nil
}

// xmlText returns the text of a single value. It refuses characters that XML cannot
// represent.
func xmlText(v any) (string, error) {
	text := ""
	switch v := v.(type) {
	case nil:
	case string:
		text = v
	case []any, map[string]any:
		return "", errNotText()
	default:
		text = strings.Trim(string(value.Append(nil, v)), `"`)
	}
	for i, r := range text {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return "", wrong("the character %U at byte %d of %q cannot be in XML", r, i, cut(text))
		}
	}
	return text, nil
}

func errNotText() error {
	return wrong("an attribute or a text is a list or a record; only single values can be one")
}
