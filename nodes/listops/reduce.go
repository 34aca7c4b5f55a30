package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func reduceNode() node.Node {
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
				expressionPort("The next `acc`, made of `acc` and `item`."),
				varsPort(),
			},
			Outputs: []node.Port{{Name: "result", Type: value.Any(), Description: "The last `acc`."}},
			Pure:    true,
		},
		Bind: bindReduce,
	}
}

func bindReduce(b node.Binding) (node.Bound, []node.Problem) {
	e, problems := compileExpression(b.Config, "expression", accVar)
	call := func(ctx context.Context, in, out []any) error {
		list, _ := in[0].([]any)
		vars, _ := in[3].(map[string]any)
		result, err := e.start(ctx, vars).reduce(list, in[1])
		if err != nil {
			return err
		}
		out[0] = result
		return nil
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call}, problems
}

// reduce looks at the context for each item, since acc may be so big that one turn
// takes long. Only one acc is kept at a time, so each has the budget for itself.
func (e *evaluation) reduce(list []any, initial any) (any, error) {
	e.acc = initial
	for i, item := range list {
		if err := e.meter.ctx.Err(); err != nil {
			return nil, err
		}
		e.results = sizer{left: e.limits.built}
		acc, err := e.at(i, item)
		if err != nil {
			return nil, err
		}
		e.acc = acc
	}
	return e.acc, nil
}
