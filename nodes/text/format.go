package text

import (
	"context"
	"errors"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const (
	templatePort = "template"
	valuesPort   = "values"
)

func formatNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "text.format",
			Label:   "Format text",
			Aliases: node.Words("template, placeholder, fill in, string", "vorlage, platzhalter, einsetzen"),
			Example: &node.Example{Config: map[string]any{"template": "Hello, {name}!", "values": map[string]any{"name": "Ada"}}},
			Description: "Fills the placeholders of a template. Each `{name}` becomes an input of the node; it takes the wire into that " +
				"input, else its value in the configuration, else the field of that name in `values`.\n\n" +
				"Template `Hello, {name}!` with name = `Ada` gives `Hello, Ada!`.\n\n" +
				"`{user.name}` is the field `name` of the record that comes into the input `user`. " +
				"Write `{{` and `}}` for braces. Null prints nothing, text prints as it is, everything else as JSON.",
			Inputs: []node.Port{
				{
					Name: templatePort, Type: value.String(), Literal: true, Widget: "multiline", Script: &node.Script{Language: node.LanguageTemplate},
					Description: "The text, with a `{name}` or `{name.field}` wherever a value belongs.",
				},
				{
					Name: valuesPort, Type: value.RecordOf(), Optional: true,
					Description: "Values for placeholders that have neither wire nor configuration, by name.",
				},
			},
			Outputs: []node.Port{{Name: "result", Type: value.String(), Description: "The template with its placeholders filled."}},
			Pure:    true,
			Inline:  true,
		},
		Bind: bindFormat,
	}
}

func bindFormat(b node.Binding) (node.Bound, []node.Problem) {
	bound := node.Bound{Inputs: b.Spec.Inputs[:2:2], Outputs: b.Spec.Outputs}
	template, ok := b.Config[templatePort].(string)
	if !ok { // that it is missing or no string is found without us
		bound.Call = (&format{}).call
		return bound, nil
	}
	segments, err := parseTemplate(template)
	if err != nil {
		p := node.Invalid(templatePort, "the template is wrong at %v", err)
		if at, ok := errors.AsType[*templateError](err); ok {
			p.At = at.Offset + 1
		}
		return node.Bound{}, []node.Problem{p}
	}
	inValues, _ := b.Config[valuesPort].(map[string]any)
	f := &format{}
	slots := map[string]int{"": -1}
	for _, s := range segments {
		slot, seen := slots[s.name]
		if !seen {
			slot = len(bound.Inputs)
			slots[s.name] = slot
			_, fallback := inValues[s.name]
			bound.Inputs = append(bound.Inputs, node.Port{
				Name: s.name, Type: value.Any(), Optional: fallback || b.Wired(valuesPort),
				Description: "The value for {" + s.name + "}.",
			})
		}
		f.parts = append(f.parts, part{s, slot})
		f.size += len(s.text)
	}
	bound.Call, bound.Hints = f.call, doubts(template)
	return bound, nil
}

// format is a parsed template.
type format struct {
	parts []part
	size  int // of all fixed text
}

type part struct {
	segment
	slot int // of the placeholder, or -1
}

// call fills the template. It measures first, so that it allocates once.
func (f *format) call(ctx context.Context, in, out []any) error {
	size := f.size
	for i := range f.parts {
		v, err := f.parts[i].value(in)
		if err != nil {
			return err
		}
		size += sizeOf(v)
	}
	if err := allow(ctx, size); err != nil {
		return err
	}
	var b strings.Builder
	b.Grow(size)
	for i := range f.parts {
		b.WriteString(f.parts[i].text)
		v, _ := f.parts[i].value(in)
		if err := write(&b, v); err != nil {
			return err
		}
	}
	out[0] = b.String()
	return nil
}

// value returns the value of a placeholder, nil if it has none.
func (p *part) value(in []any) (any, error) {
	if p.slot < 0 {
		return nil, nil
	}
	v := in[p.slot]
	if !node.Present(v) {
		values, _ := in[1].(map[string]any)
		given, ok := values[p.name]
		if !ok {
			return nil, node.Errorf(node.CodeInvalidInput,
				"nothing to put for {%s}: wire the input, configure it, or give values a field %q", p.name, p.name)
		}
		v = given
	}
	for _, field := range p.path {
		record, ok := v.(map[string]any)
		if !ok {
			if v == nil { // prints nothing, as null does
				return nil, nil
			}
			return nil, node.Errorf(node.CodeInvalidInput,
				"nothing to put for {%s}: what should have the field %q is no record, but %s", p.whole(), field, value.KindOf(v))
		}
		if v, ok = record[field]; !ok {
			return nil, node.Errorf(node.CodeInvalidInput, "nothing to put for {%s}: the record has no field %q", p.whole(), field)
		}
	}
	return v, nil
}

// whole is the placeholder as written in the template.
func (p *part) whole() string { return strings.Join(append([]string{p.name}, p.path...), ".") }
