package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func getNode() node.Node {
	spec := node.Spec{
		Type:     "listops.get",
		Label:    "Get item",
		Aliases:  node.Words("item, element, first, last, index", "element, erstes, letztes, stelle"),
		Example:  &node.Example{Config: map[string]any{"index": -1}},
		Converts: []node.Conversion{{From: value.ListOf(value.Any()), To: value.Any()}},
		Description: "Takes one item out of a list: index 0 of `[\"a\",\"b\",\"c\"]` gives `\"a\"`, index -1 gives `\"c\"`.\n\n" +
			"Where the list has no such item, `item` is null and `found` is false; the node does not fail.",
		Inputs: []node.Port{
			listPort(),
			{Name: "index", Type: value.Int(), Description: "Which item, from 0; negative counts from the end: -1 is the last one."},
		},
		Outputs: []node.Port{
			{Name: "item", Type: value.Any(), Description: "The item; null if there is none."},
			{Name: "found", Type: value.Bool(), Description: "Whether the list has such an item."},
		},
		Pure: true, Inline: true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, get)}
}

func get(_ context.Context, in, out []any) error {
	list, _ := in[0].([]any)
	index, _ := in[1].(int)
	if index < 0 {
		index += len(list)
	}
	found := 0 <= index && index < len(list)
	out[0], out[1] = nil, found
	if found {
		out[0] = list[index]
	}
	return nil
}
