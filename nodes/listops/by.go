package listops

import (
	"context"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// byItem is the default expression of the nodes of [byInputs].
const byItem = "item"

// byInputs returns the inputs of nodes that evaluate an expression for each item: list, by,
// more, and vars. by has the description of its port; the common fields are set here.
func byInputs(by node.Port, more ...node.Port) []node.Port {
	by.Name, by.Type, by.Literal, by.Widget = "by", value.String(), true, "expression"
	by.Script = expr.OverItems("list")
	inputs := append([]node.Port{listPort(), by}, more...)
	return append(inputs, varsPort())
}

// byCall is the function of such a node. in and out are those of [node.Call].
type byCall func(e *expr.Evaluation, list, in, out []any) error

// bindBy returns the Bind function of a node with the inputs of [byInputs].
func bindBy(work byCall) node.Bind {
	return func(b node.Binding) (node.Bound, []node.Problem) {
		config := b.Config
		if _, given := config["by"]; !given { // if by is required, the type check reports that it is missing
			config = map[string]any{"by": byItem}
		}
		e, problems := expr.Compile(config, "by")
		call := func(ctx context.Context, in, out []any) error {
			list, _ := in[0].([]any)
			vars, _ := in[len(in)-1].(map[string]any)
			if err := claim(ctx, 2*len(list)); err != nil { // the results of the expression, and the output
				return err
			}
			return work(e.Start(ctx, vars), list, in, out)
		}
		return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: e.Hints()}, problems
	}
}
