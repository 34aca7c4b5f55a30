package jsonnode

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func convertNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:     "json.convert",
			Label:    "Convert",
			Aliases:  node.Words("cast, change type, coerce", "typ ändern, umwandeln"),
			Example:  &node.Example{Config: map[string]any{"to": "string"}},
			Converts: []node.Conversion{{From: value.Any(), To: value.Any()}},
			Description: "Turns a value into one of another type, and fails with `invalid_input` rather than lose anything. " +
				"To `int` the text `42` becomes 42, and `4.5` is refused. What already is of the type stays as it is.\n\n" +
				"| to | from |\n|---|---|\n" +
				"| `string` | a number or bool as JSON prints it; a list, record or media as JSON |\n" +
				"| `int` | a number without fraction; text that is such a number; false 0, true 1 |\n" +
				"| `float` | a number; text that is one; false 0, true 1 |\n" +
				"| `bool` | the text true or false; the numbers 0 and 1 |\n" +
				"| `enum(…)` | text, a number or bool whose text is a member |\n" +
				"| `list<T>` | a list, each item converted; the text of a JSON list; any other single value as a list of one |\n" +
				"| `record`, `record{…}` | a record, the named fields converted and the others kept; the text of a JSON object; media |\n" +
				"| `media` | a record with kind, mime and path or url; the text of such an object |\n" +
				"| `credential` | the text of a reference, such as pronet:main |\n" +
				"| `T?` | null; what T takes; unless T is string, text without anything in it is null |\n\n" +
				"Null is refused by every type without `?`.",
			Inputs: []node.Port{
				{Name: "value", Type: value.Any(), Description: "The value to convert."},
				{Name: "to", Type: value.String(), Literal: true, Description: "The type to convert to, such as int, string? or list<record{id:int}>."},
			},
			Outputs: []node.Port{{Name: "value", Type: value.Any(), Description: "The value, of the type that `to` names."}},
			Pure:    true,
		},
		Bind: bindConvert,
	}
}

func bindConvert(b node.Binding) (node.Bound, []node.Problem) {
	bound := node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs}
	text, ok := b.Config["to"].(string)
	if !ok { // a missing or wrong value is reported by the type check
		return bound, nil
	}
	to, err := value.ParseType(text)
	if err != nil {
		return node.Bound{}, []node.Problem{node.Invalid("to", "%v", err)}
	}
	bound.Outputs = slices.Clone(b.Spec.Outputs)
	bound.Outputs[0].Type = to
	bound.Call = func(_ context.Context, in, out []any) error {
		v, err := convert(in[0], to)
		if err == nil {
			out[0], err = node.Accept(&bound.Outputs[0], v)
			return err
		}
		return node.Errorf(node.CodeInvalidInput, "the value cannot become %s: %w", to.Brief(), err)
	}
	return bound, nil
}

// convert returns v as a value of type t. Its errors never quote a value.
func convert(v any, t value.Type) (any, error) {
	if c, err := value.Conform(v, t); err == nil {
		return c, nil
	}
	if v == nil {
		return nil, fmt.Errorf("it is null; write %s? to let null pass", t)
	}
	if s, ok := v.(string); ok && t.Nullable() && t.Kind() != value.KindString && strings.TrimSpace(s) == "" {
		return nil, nil
	}
	switch t.Kind() {
	case value.KindString:
		return textOf(v)
	case value.KindInt:
		return toInt(v)
	case value.KindFloat:
		return toFloat(v)
	case value.KindBool:
		return toBool(v)
	case value.KindEnum:
		return toEnum(v, t)
	case value.KindList:
		return toList(v, t.Elem())
	case value.KindRecord:
		return toRecord(v, t)
	case value.KindMedia:
		return toMedia(v, t)
	}
	return value.Conform(v, t) // the error for a credential says how one is written
}

func textOf(v any) (any, error) {
	text, ok := value.AppendMax(nil, plain(v), maxText)
	if !ok {
		return nil, node.Errorf(node.CodeLimitExceeded, "its JSON is longer than %d MiB", maxText>>20)
	}
	if _, credential := v.(value.Credential); credential {
		return nil, refused(v)
	}
	return string(text), nil
}

func toInt(v any) (any, error) {
	number, err := toNumber(v)
	if err != nil {
		return nil, err
	}
	f, ok := number.(float64)
	switch {
	case !ok:
		return number, nil
	case f != math.Trunc(f):
		return nil, fmt.Errorf("it has a fraction; round it first, or convert to float")
	case f < -1<<63 || f >= 1<<63:
		return nil, fmt.Errorf("it is beyond 64 bits; convert to float")
	}
	return int(f), nil
}

func toFloat(v any) (any, error) {
	number, err := toNumber(v)
	if i, ok := number.(int); ok {
		return float64(i), nil
	}
	return number, err
}

// toNumber returns an int or a float64.
func toNumber(v any) (any, error) {
	switch x := v.(type) {
	case int, float64:
		return v, nil
	case bool:
		if x {
			return 1, nil
		}
		return 0, nil
	case string:
		number, err := value.Decode([]byte(strings.TrimSpace(x)))
		switch number.(type) {
		case int, float64:
			return number, err
		}
		return nil, fmt.Errorf("the text is no number; write it like 42, -0.5 or 1e6")
	}
	return nil, refused(v)
}

func toBool(v any) (any, error) {
	switch x := v.(type) {
	case string:
		switch strings.ToLower(strings.TrimSpace(x)) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, fmt.Errorf("the text is neither true nor false")
	case int:
		if x == 0 || x == 1 {
			return x == 1, nil
		}
		return nil, fmt.Errorf("a number has to be 0 or 1")
	}
	return nil, refused(v)
}

func toEnum(v any, t value.Type) (any, error) {
	switch v.(type) {
	case bool, int, float64:
		return value.Conform(string(value.Append(nil, v)), t)
	case string:
		return value.Conform(v, t)
	}
	return nil, refused(v)
}

func toList(v any, elem value.Type) (any, error) {
	list, ok := v.([]any)
	if !ok {
		list, ok = decoded(v, "[").([]any)
	}
	if !ok {
		list = []any{v}
	}
	out := make([]any, len(list))
	for i, e := range list {
		c, err := convert(e, elem)
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = c
	}
	return out, nil
}

func toRecord(v any, t value.Type) (any, error) {
	record, ok := v.(map[string]any)
	if media, is := v.(value.Media); is {
		record, ok = mediaRecord(media), true
	}
	if !ok {
		record, ok = decoded(v, "{").(map[string]any)
	}
	if !ok {
		return nil, refused(v)
	}
	out := make(map[string]any, len(record))
	maps.Copy(out, record)
	for _, f := range t.FieldsOf(record) {
		e, present := record[f.Name]
		if !present && f.Type.Nullable() {
			continue
		}
		c, err := convert(e, f.Type)
		if !present {
			err = fmt.Errorf("it is missing")
		}
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		out[f.Name] = c
	}
	return out, nil
}

func toMedia(v any, t value.Type) (any, error) {
	if record, ok := decoded(v, "{").(map[string]any); ok {
		v = record
	}
	return value.Conform(v, t)
}

// decoded parses a text that starts with open as JSON. It returns nil for all other values.
func decoded(v any, open string) any {
	s, ok := v.(string)
	if !ok || !strings.HasPrefix(strings.TrimSpace(s), open) {
		return nil
	}
	out, err := value.DecodeText(s)
	if err != nil {
		return nil
	}
	return out
}

func refused(v any) error {
	return fmt.Errorf("a %s has no such form; see the table in the node's description", value.KindOf(v))
}
