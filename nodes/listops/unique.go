package listops

import (
	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
)

func uniqueNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.unique",
			Label:   "Remove duplicates",
			Aliases: node.Words("distinct, dedupe, duplicates", "eindeutig, doppelte entfernen"),
			Example: &node.Example{Config: map[string]any{"by": "item"}},
			Description: "Keeps the first of the items that are equal: `[3,1,3]` gives `[3,1]`.\n\n" +
				"by `item.email` keeps the first record with each address; by `lower(item)` takes no notice of case. " +
				"Values are compared by content; 1 and 1.0 are equal, and so are records with the same fields in another order.\n\n" + expressionHelp,
			Inputs:  byInputs(node.Port{Default: byItem, Description: "What has to differ: an expression for each `item`."}),
			Outputs: []node.Port{resultPort("The first of each, in order.")},
			Pure:    true,
		},
		Bind: bindBy(unique),
	}
}

func unique(e *expr.Evaluation, list, _, out []any) error {
	result, seen := []any{}, map[any]struct{}{}
	var keys keys
	for i, item := range list {
		v, err := e.Key(i, item)
		if err != nil {
			return err
		}
		key := keys.of(v)
		if _, again := seen[key]; !again {
			seen[key] = struct{}{}
			result = append(result, item)
		}
	}
	out[0] = result
	return nil
}
