package jsonnode

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxErrors is how many errors a validation returns at most.
const maxErrors = 1000

func validateNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "json.validate",
			Label:   "Validate JSON",
			Aliases: node.Words("schema, check json", "schema, prüfen"),
			Example: &node.Example{Config: map[string]any{"schema": map[string]any{"type": "string", "minLength": 3}}},
			Description: "Checks a value against a JSON Schema (2020-12, or the earlier draft that `$schema` names).\n\n" +
				"`{\"type\": \"object\", \"required\": [\"id\"], \"properties\": {\"mail\": {\"format\": \"email\"}}}` wants a record with an id, and mail to be an address: " +
				"formats are checked, not only noted.\n\n" +
				"An invalid value does not fail the node: `valid` is false and `errors` says where and why, so branch on `valid`. " +
				"A `$ref` has to stay inside of the schema; no other document is loaded. Regular expressions are those of RE2.",
			Inputs: []node.Port{
				{Name: "value", Type: value.Any(), Description: "The value to check."},
				{Name: "schema", Type: value.Any(), Widget: "json", Description: "The schema: a record, or true or false."},
			},
			Outputs: []node.Port{
				{Name: "valid", Type: value.Bool(), Description: "Whether the value is as the schema wants it."},
				{Name: "errors", Type: errorsType(), Description: "What is wrong, sorted by place, at most 1,000 entries: the place as a JSON pointer, and the reason."},
			},
			Pure: true,
		},
		Bind: bindValidate,
	}
}

func errorsType() value.Type {
	return value.ListOf(value.RecordOf(value.Field{Name: "path", Type: value.String()}, value.Field{Name: "message", Type: value.String()}))
}

func bindValidate(b node.Binding) (node.Bound, []node.Problem) {
	bound := node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: validateAny}
	given, ok := b.Config["schema"]
	if !ok || b.Wired("schema") {
		return bound, nil
	}
	if _, err := compileSchema(given); err != nil {
		return node.Bound{}, []node.Problem{node.Invalid("schema", "%v", err)}
	}
	pool := &schemaPool{source: given}
	bound.Call = pool.call
	return bound, nil
}

// validateAny validates with a schema that is wired, so it compiles the schema in each
// call.
func validateAny(ctx context.Context, in, out []any) error {
	s, err := compileSchema(in[1])
	if err != nil {
		return node.Errorf(node.CodeInvalidInput, "%w", err)
	}
	return s.call(ctx, in, out)
}

// call validates in[0].
func (s *schema) call(ctx context.Context, in, out []any) error {
	found, err := s.check(ctx, plain(in[0]))
	if err != nil {
		return err
	}
	var errs []any
	if found != nil {
		errs = describe(found)
	}
	out[0], out[1] = found == nil, append([]any{}, errs...)
	return nil
}

// describe lists the errors without a cause, sorted.
func describe(err *jsonschema.ValidationError) []any {
	printer := message.NewPrinter(language.English)
	type entry struct{ path, message string }
	var entries []entry
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 && len(entries) < 100*maxErrors {
			entries = append(entries, entry{pointerTo(e.InstanceLocation), reason(e.ErrorKind, printer)})
		}
	}
	walk(err)
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.message, b.message))
	})
	entries = slices.Compact(entries)
	var list []any
	for _, e := range entries[:min(len(entries), maxErrors)] {
		list = append(list, map[string]any{"path": e.path, "message": e.message})
	}
	return list
}

// reason returns the message of an error. It does not quote the value, which may be long.
func reason(k jsonschema.ErrorKind, printer *message.Printer) string {
	switch k := k.(type) {
	case *kind.Format:
		return "it is no valid " + k.Want
	case *kind.Pattern:
		return "it does not match the pattern " + cut(k.Want)
	case *kind.Maximum:
		return "it is more than " + decimal(k.Want)
	case *kind.Minimum:
		return "it is less than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "it is not less than " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "it is not more than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "it is no multiple of " + decimal(k.Want)
	case *kind.AdditionalProperties:
		names := slices.Sorted(slices.Values(k.Properties))
		return printer.Sprintf("the field %q is not allowed", cut(names[0]))
	}
	return cut(k.LocalizedString(printer))
}

// decimal formats a number of a schema with all its digits.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return cut(r.FloatString(digits))
}
