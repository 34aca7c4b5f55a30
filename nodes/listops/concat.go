package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func concatNode() node.Node {
	spec := node.Spec{
		Type:    "listops.concat",
		Label:   "Concatenate lists",
		Aliases: node.Words("append lists, join lists, combine", "listen verbinden, anhängen"),
		Example: &node.Example{Config: map[string]any{"lists": []any{[]any{1, 2}, []any{3}}}},
		Description: "Puts lists one behind the other. Wire each list into `lists`: `[1,2]` and `[3]` give `[1,2,3]`. The order is that of the connections.\n\n" +
			"In the config, and in a single wire, `lists` is a list of lists.",
		Inputs:  []node.Port{{Name: "lists", Type: value.ListOf(value.ListOf(value.Any())), Description: "The lists."}},
		Outputs: []node.Port{resultPort("All their items, in order.")},
		Pure:    true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, concat)}
}

// concat checks the size of its inputs, since the result is no larger.
func concat(ctx context.Context, in, out []any) error {
	if err := bounded(in[0]); err != nil {
		return err
	}
	items, _ := in[0].([]any)
	n := 0
	lists := make([][]any, len(items))
	for i, item := range items {
		lists[i], _ = item.([]any)
		n += len(lists[i])
	}
	if err := claim(ctx, n); err != nil {
		return err
	}
	out[0] = value.Concat(lists...)
	return nil
}
