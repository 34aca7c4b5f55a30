package listops

import (
	"context"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func reduceNode() node.Node {
	next := expressionPort("The next `acc`, made of `acc` and `item`.")
	next.Script = expr.OverItems("list", expr.Acc)
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.reduce",
			Label:   "Reduce list",
			Aliases: node.Words("fold, accumulate, aggregate", "zusammenfassen, aufaddieren, falten"),
			Example: &node.Example{Config: map[string]any{"expression": "acc + item", "initial": 0}},
			Description: "Makes one value of a list. An expression is evaluated for each item; it gets as `acc` what it gave for the item before, and `initial` for the first.\n\n" +
				"`acc + item.qty` with initial 0 makes 5 of `[{\"qty\":2},{\"qty\":3}]`; " +
				"`item.price > acc.price ? item : acc` with initial `{\"price\":0}` gives the dearest item. For long results, `listops.map` is much quicker than a growing `acc`.\n\n" +
				expressionHelp,
			Inputs: []node.Port{
				listPort(),
				{Name: "initial", Type: value.Any(), Description: "The first `acc`, and the result for an empty list."},
				next,
				varsPort(),
			},
			Outputs: []node.Port{{Name: "result", Type: value.Any(), Description: "The last `acc`."}},
			Pure:    true,
		},
		Bind: bindReduce,
	}
}

func bindReduce(b node.Binding) (node.Bound, []node.Problem) {
	e, problems := expr.Compile(b.Config, "expression", expr.Acc)
	call := func(ctx context.Context, in, out []any) error {
		list, _ := in[0].([]any)
		vars, _ := in[3].(map[string]any)
		result, err := e.Start(ctx, vars).Reduce(list, in[1])
		if err != nil {
			return err
		}
		out[0] = result
		return nil
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: e.Hints()}, problems
}
