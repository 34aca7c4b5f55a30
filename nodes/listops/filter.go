package listops

import (
	"context"
	"reflect"
	"slices"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func filterNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.filter",
			Label:   "Filter list",
			Aliases: node.Words("where, keep, select items", "filtern, behalten, aussortieren"),
			Example: &node.Example{Config: map[string]any{"expression": "item > 1"}},
			Description: "Sorts the items of a list into those for which an expression is true and the others.\n\n" +
				"`item.total > vars.limit` with vars = `{\"limit\":100}` keeps what costs more than 100. Null counts as false.\n\n" + expressionHelp,
			Inputs: itemInputs("Which items to keep: true or false for each `item`."),
			Outputs: []node.Port{
				resultPort("The items for which the expression is true, in order."),
				{Name: "rejected", Type: value.ListOf(value.Any()), Description: "All other items, in order."},
			},
			Pure: true,
		},
		Bind: bindFilter,
	}
}

func bindFilter(b node.Binding) (node.Bound, []node.Problem) {
	e, problems := expr.Compile(b.Config, "expression")
	if len(problems) > 0 {
		return node.Bound{}, problems
	}
	if e.Kind() != reflect.Bool && e.Kind() != reflect.Interface {
		return node.Bound{}, []node.Problem{node.Invalid("expression", "the expression gives %s; it has to give true or false, as in item.price > 10", e.Kind())}
	}
	call := func(ctx context.Context, in, out []any) error {
		list, vars := itemArgs(in)
		kept, rejected, err := partition(e.Start(ctx, vars), list)
		if err != nil {
			return err
		}
		out[0], out[1] = kept, rejected
		return nil
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: e.Hints()}, nil
}

// partition separates the items for which the expression is true from the others.
func partition(e *expr.Evaluation, list []any) (kept, rejected []any, err error) {
	kept, rejected = make([]any, 0, len(list)), []any{}
	for i, item := range list {
		v, err := e.At(i, item)
		if err != nil {
			return nil, nil, err
		}
		keep, ok := v.(bool)
		switch {
		case keep:
			kept = append(kept, item)
		case ok || v == nil:
			rejected = append(rejected, item)
		default:
			return nil, nil, node.Errorf(node.CodeTypeError,
				"the expression gives %s for item %d; it has to give true or false, as in item.price > 10", value.KindOf(v), i)
		}
	}
	return slices.Clip(kept), slices.Clip(rejected), nil
}
