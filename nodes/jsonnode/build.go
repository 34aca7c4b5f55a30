package jsonnode

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const (
	fieldsPort = "fields"
	inputsPort = "inputs"
)

func buildNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "json.build",
			Label:   "Build record",
			Aliases: node.Words("make object, set fields, request body, compose, create json", "objekt bauen, datensatz erstellen, zusammensetzen"),
			Example: &node.Example{Config: map[string]any{
				"inputs": []any{"who", "items"}, "who": "Ada", "items": []any{2, 3},
				"fields": map[string]any{"to": "=who", "count": "=len(items)", "kind": "order"},
			}},
			Description: "Makes a record of values that come in, as the body of a request needs it: all in one node.\n\n" +
				"With the inputs `who` and `items`, fields `{\"to\":\"=who\",\"count\":\"=len(items)\",\"kind\":\"order\"}` gives `{\"to\":\"Ada\",\"count\":2,\"kind\":\"order\"}`. " +
				"A text that begins with `=` is an [expression](https://expr-lang.org/docs/language-definition) over the inputs, at any depth; everything else stands for itself. " +
				"For a text that really begins with `=`, write `==`.",
			Inputs: []node.Port{
				{Name: fieldsPort, Type: value.RecordOf(), Literal: true, Description: "The record, with expressions where values belong."},
				{Name: inputsPort, Type: value.ListOf(value.String()), Literal: true, Default: []any{}, Description: "The names of the inputs; each becomes a port."},
			},
			Outputs: []node.Port{{Name: "value", Type: value.RecordOf(), Description: "The record."}},
			Pure:    true,
		},
		Bind: bindBuild,
	}
}

func bindBuild(b node.Binding) (node.Bound, []node.Problem) {
	bound := node.Bound{Inputs: b.Spec.Inputs[:2:2], Outputs: b.Spec.Outputs}
	names, problems := inputNames(b.Config)
	for _, name := range names {
		bound.Inputs = append(bound.Inputs, node.Port{Name: name, Type: value.Any(), Description: "What expressions call " + name + "."})
	}
	fields, _ := b.Config[fieldsPort].(map[string]any) // a value of another type is reported by the type check
	c := builder{names: names}
	tree := c.compile(fields, "")
	bound.Call = func(ctx context.Context, in, out []any) error {
		values := make(map[string]any, len(names))
		for i, name := range names {
			values[name] = expr.Plain(in[2+i])
		}
		record, err := fill(ctx, tree, values)
		if err != nil {
			return node.Permanent(err)
		}
		if err := value.Bound(record); err != nil {
			return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w; put less into one record", err))
		}
		out[0] = record
		return nil
	}
	return bound, append(problems, c.problems...)
}

// inputNames returns the names of the inputs in a config.
func inputNames(config map[string]any) (names []string, problems []node.Problem) {
	list, _ := config[inputsPort].([]any)
	for _, v := range list {
		name, isText := v.(string)
		switch {
		case !isText: // reported by the type check
		case !value.IsIdentifier(name):
			problems = append(problems, node.Invalid(inputsPort, "%q cannot be the name of an input: use letters, digits and underscores, no digit first", name))
		case slices.Contains([]string{fieldsPort, inputsPort, "item", "index", "vars"}, name):
			problems = append(problems, node.Invalid(inputsPort, "%s is taken; choose another name for the input", name))
		case slices.Contains(names, name):
			problems = append(problems, node.Invalid(inputsPort, "%s stands twice", name))
		default:
			names = append(names, name)
		}
	}
	return names, problems
}

// builder compiles the expressions in a value and collects the problems.
type builder struct {
	names    []string
	problems []node.Problem
}

// compile returns v with a formula in place of each expression. place is the path of v in
// the record, for messages.
func (c *builder) compile(v any, place string) any {
	switch v := v.(type) {
	case map[string]any:
		made := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			made[name] = c.compile(v[name], strings.TrimPrefix(place+"."+name, "."))
		}
		return made
	case []any:
		made := make([]any, len(v))
		for i := range v {
			made[i] = c.compile(v[i], place+"[]")
		}
		return made
	case string:
		return c.text(v, place)
	}
	return v
}

func (c *builder) text(text, place string) any {
	source, isExpression := strings.CutPrefix(text, "=")
	if !isExpression {
		return text
	}
	if strings.HasPrefix(source, "=") {
		return source
	}
	f, problems := expr.CompileFormula(source, fieldsPort, c.names...)
	for _, p := range problems {
		p.Message = place + ": " + p.Message
		if len(c.names) == 0 {
			p.Hint = "name the inputs in inputs"
		}
		c.problems = append(c.problems, p)
	}
	return formula{f, place}
}

// formula is a compiled expression and its path in the record.
type formula struct {
	of    *expr.Formula
	place string
}

// fill returns a copy of tree with the results of its formulas.
func fill(ctx context.Context, tree any, values map[string]any) (made any, err error) {
	switch t := tree.(type) {
	case formula:
		if made, err = t.of.Of(ctx, values); err != nil {
			return nil, node.Errorf(node.CodeOf(err), "%s: %w", t.place, err)
		}
		return made, nil
	case map[string]any:
		record := make(map[string]any, len(t))
		for name, v := range t {
			if record[name], err = fill(ctx, v, values); err != nil {
				return nil, err
			}
		}
		return record, nil
	case []any:
		list := make([]any, len(t))
		for i, v := range t {
			if list[i], err = fill(ctx, v, values); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return tree, nil
}
