package listops

import (
	"context"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func selectNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.select",
			Label:   "Choose fields",
			Aliases: node.Words("rename fields, edit fields, set, columns, pick", "felder wählen, umbenennen, spalten, felder setzen"),
			Example: &node.Example{Config: map[string]any{
				"fields": map[string]any{"name": "item.first + \" \" + item.last"}, "list": []any{map[string]any{"first": "Ada", "last": "Lovelace"}},
			}},
			Description: "Makes of each record one with the fields that you name: each is an expression over the record.\n\n" +
				"fields `{\"name\":\"item.first + \\\" \\\" + item.last\",\"nr\":\"index + 1\"}` makes of `[{\"first\":\"Ada\",\"last\":\"Lovelace\",\"age\":36}]` " +
				"`[{\"name\":\"Ada Lovelace\",\"nr\":1}]`; with keepOthers the others stay.\n\n" +
				"The [expressions](https://expr-lang.org/docs/language-definition) know `item`, the record, and `index` (from 0).",
			Inputs: []node.Port{
				recordsPort("list", "The records."),
				{Name: "fields", Type: value.RecordOf(), Literal: true, Description: "New name → expression."},
				{Name: "keepOthers", Type: value.Bool(), Default: false, Description: "Whether the fields that are not named stay as they are."},
			},
			Outputs: []node.Port{recordsOut("result", "The records with these fields, in order.")},
			Pure:    true,
		},
		Bind: bindSelect,
	}
}

// field is a field whose value is the result of an expression.
type field struct {
	name string
	of   *expr.Expression
}

// compileFields compiles a record of expressions, in the order of the field names. read
// converts the source text to an expression.
func compileFields(config map[string]any, port string) (fields []field, hints, problems []node.Problem) {
	record, _ := config[port].(map[string]any) // a value of another type is reported by the type check
	for _, name := range slices.Sorted(maps.Keys(record)) {
		source, isText := record[name].(string)
		if !isText {
			problems = append(problems, node.Invalid(port, "%s is no expression; write one as a text, such as \"item.name\" or, for a text, \"'Ada'\"", name))
			continue
		}
		e, more := expr.Compile(map[string]any{port: source}, port)
		problems = append(problems, named(more, name)...)
		hints = append(hints, named(e.Hints(), name)...)
		fields = append(fields, field{name, e})
	}
	return fields, hints, problems
}

// named adds the name of the field to each problem.
func named(problems []node.Problem, name string) []node.Problem {
	told := slices.Clone(problems)
	for i := range told {
		told[i].Message = name + ": " + told[i].Message
	}
	return told
}

func bindSelect(b node.Binding) (node.Bound, []node.Problem) {
	fields, hints, problems := compileFields(b.Config, "fields")
	call := func(ctx context.Context, in, out []any) error {
		list, _ := in[0].([]any)
		keep, _ := in[2].(bool)
		evaluations := make([]*expr.Evaluation, len(fields))
		for i, f := range fields {
			evaluations[i] = f.of.Start(ctx, nil)
		}
		result := make([]any, len(list))
		for i, item := range list {
			made := make(map[string]any, len(fields))
			if keep {
				record, _ := item.(map[string]any)
				maps.Copy(made, record)
			}
			for k, f := range fields {
				v, err := evaluations[k].At(i, item)
				if err != nil {
					return node.Permanent(node.Errorf(node.CodeOf(err), "%s: %w", f.name, err))
				}
				made[f.name] = v
			}
			result[i] = made
		}
		out[0] = result
		return bounded(result)
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: hints}, problems
}
