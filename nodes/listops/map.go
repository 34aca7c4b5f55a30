package listops

import (
	"context"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const expressionHelp = "The [expression](https://expr-lang.org/docs/language-definition) knows `item`, `index` (from 0) and `vars`. " +
	"A field that an item does not have is null; write `item.address?.city` where the address may be missing."

// itemInputs returns the inputs of nodes that evaluate an expression for each item.
func itemInputs(expression string) []node.Port {
	return []node.Port{listPort(), expressionPort(expression), varsPort()}
}

func listPort() node.Port {
	return node.Port{Name: "list", Type: value.ListOf(value.Any()), Description: "The items."}
}

func expressionPort(description string) node.Port {
	return node.Port{Name: "expression", Type: value.String(), Literal: true, Widget: "expression", Script: expr.OverItems("list"), Description: description}
}

func varsPort() node.Port {
	return node.Port{Name: "vars", Type: value.RecordOf(), Optional: true, Description: "Further values for the expression, as `vars.name`."}
}

func resultPort(description string) node.Port {
	return node.Port{Name: "result", Type: value.ListOf(value.Any()), Description: description}
}

// itemArgs returns the values of the inputs of itemInputs.
func itemArgs(in []any) (list []any, vars map[string]any) {
	list, _ = in[0].([]any)
	vars, _ = in[2].(map[string]any)
	return list, vars
}

func mapNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.map",
			Label:   "Map list",
			Aliases: node.Words("transform items, for each, convert list", "umwandeln, jedes element, abbilden"),
			Example: &node.Example{Config: map[string]any{"expression": "item * 2"}},
			Description: "Makes a new list with what an expression gives for each item.\n\n" +
				"`item.price * item.qty` for `[{\"price\":2,\"qty\":3}]` gives `[6]`; " +
				"`{name: upper(item.name), nr: index + 1}` makes records.\n\n" + expressionHelp,
			Inputs:  itemInputs("What to put in place of each `item`."),
			Outputs: []node.Port{resultPort("The results, in the order of the items.")},
			Pure:    true,
			Derives: &node.Derives{From: "list[]", By: "expression", Gives: "result[]"},
		},
		Bind: bindMap,
	}
}

func bindMap(b node.Binding) (node.Bound, []node.Problem) {
	e, problems := expr.Compile(b.Config, "expression")
	call := func(ctx context.Context, in, out []any) error {
		list, vars := itemArgs(in)
		if err := claim(ctx, len(list)); err != nil {
			return err
		}
		evaluation := e.Start(ctx, vars)
		result := make([]any, len(list))
		for i, item := range list {
			var err error
			if result[i], err = evaluation.At(i, item); err != nil {
				return err
			}
		}
		out[0] = result
		return nil
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: e.Hints()}, problems
}
