package xmltree

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
	"github.com/svcflow/svc/nodes/reading"
)

// validName matches the names of elements and attributes that can be written.
var validName = regexp.MustCompile(`^[\pL_][\pL\pN_.-]*(:[\pL_][\pL\pN_.-]*)?$`)

// Format writes v as an element with the name root. Fields that begin with @ are attributes.
// Elements that have a text besides their child elements are not indented, as that would
// change the text.
func Format(ctx context.Context, root string, v map[string]any, indent bool) (string, error) {
	w := writer{ctx: ctx, indent: indent}
	if err := w.element(root, v, 0); err != nil {
		return "", err
	}
	return w.b.String(), nil
}

// writer writes values as XML elements.
type writer struct {
	ctx    context.Context
	b      strings.Builder
	indent bool
}

func (w *writer) element(name string, v any, depth int) error {
	if !validName.MatchString(name) {
		return reading.Invalid("%q cannot be the name of an element or an attribute", reading.Cut(name))
	}
	if depth >= value.MaxDepth {
		return reading.TooMuch("elements nest deeper than %d", value.MaxDepth)
	}
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	w.b.WriteString("<" + name)
	record, _ := v.(map[string]any)
	if err := w.attributes(record); err != nil {
		return err
	}
	w.b.WriteByte('>')
	if err := w.inside(v, record, depth); err != nil {
		return err
	}
	w.b.WriteString("</" + name + ">")
	return nil
}

func (w *writer) attributes(record map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(record)) {
		attribute, ok := strings.CutPrefix(key, "@")
		if !ok {
			continue
		}
		if !validName.MatchString(attribute) {
			return reading.Invalid("%q cannot be the name of an element or an attribute", reading.Cut(attribute))
		}
		w.b.WriteString(" " + attribute + `="`)
		if err := w.text(record[key]); err != nil {
			return err
		}
		w.b.WriteByte('"')
	}
	return nil
}

// inside writes the content of an element.
func (w *writer) inside(v any, record map[string]any, depth int) error {
	if record == nil {
		items, isList := v.([]any)
		if !isList {
			return w.text(v)
		}
		return w.children(depth, func(each func(string, any) error) error {
			for _, item := range items { // a list inside a list gives its items no name
				if err := each("item", item); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if text, ok := record[TextKey]; ok && text != nil {
		indent := w.indent
		w.indent = false
		defer func() { w.indent = indent }()
		if err := w.text(text); err != nil {
			return err
		}
	}
	return w.children(depth, func(each func(string, any) error) error { return fields(record, each) })
}

// fields calls each for all child elements of record.
func fields(record map[string]any, each func(string, any) error) error {
	for _, key := range slices.Sorted(maps.Keys(record)) {
		if key == TextKey || strings.HasPrefix(key, "@") {
			continue
		}
		items, isList := record[key].([]any)
		if !isList {
			items = []any{record[key]}
		}
		for _, item := range items {
			if err := each(key, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// children writes child elements, each on its own line if the output is indented.
func (w *writer) children(depth int, all func(each func(string, any) error) error) error {
	written := false
	err := all(func(name string, v any) error {
		written = true
		w.line(depth + 1)
		return w.element(name, v, depth+1)
	})
	if written && err == nil {
		w.line(depth)
	}
	return err
}

func (w *writer) line(depth int) {
	if w.indent {
		w.b.WriteString("\n" + strings.Repeat("  ", depth))
	}
}

func (w *writer) text(v any) error {
	text, err := textOf(v)
	if err != nil || text == "" {
		return err
	}
	if err := node.Hold(w.ctx, len(text)); err != nil {
		return err
	}
	return xml.EscapeText(&w.b, []byte(text))
}

// textOf returns the text of a single value. It refuses characters that XML cannot
// represent.
func textOf(v any) (string, error) {
	text := ""
	switch v := v.(type) {
	case nil:
	case string:
		text = v
	case []any, map[string]any:
		return "", reading.Invalid("an attribute or a text is a list or a record; only single values can be one")
	default:
		text = strings.Trim(string(value.Append(nil, v)), `"`)
	}
	for i, r := range text {
		if r < ' ' && !strings.ContainsRune("\t\n\r", r) || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return "", reading.Invalid("the character %U at byte %d of %q cannot be in XML", r, i, reading.Cut(text))
		}
	}
	return text, nil
}
