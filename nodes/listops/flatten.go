package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func flattenNode() node.Node {
	spec := node.Spec{
		Type:    "listops.flatten",
		Label:   "Flatten list",
		Aliases: node.Words("unnest, nested lists", "verschachtelte listen, glätten"),
		Example: &node.Example{Config: map[string]any{"list": []any{[]any{1, 2}, []any{3}}}},
		Description: "Puts the items of lists in a list in place of those lists: `[1,[2,[3]]]` gives `[1,2,[3]]`, and with depth 2 `[1,2,3]`.\n\n" +
			"Depth -1 leaves no list inside, however deep; depth 0 changes nothing.",
		Inputs: []node.Port{
			listPort(),
			{Name: "depth", Type: value.Int(), Default: 1, Description: "How many levels of lists to open; negative opens all."},
		},
		Outputs: []node.Port{resultPort("The items, in order.")},
		Pure:    true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, flatten)}
}

// flatten checks the size of its input, since the result is no larger.
func flatten(ctx context.Context, in, out []any) error {
	list, _ := in[0].([]any)
	depth, _ := in[1].(int)
	if err := bounded(list); err != nil {
		return err
	}
	if depth < 0 {
		depth = value.MaxDepth
	}
	if err := claim(ctx, 2*value.Size(list, value.MaxSize)/minItem); err != nil {
		return err
	}
	out[0] = appendFlat(make([]any, 0, len(list)), list, depth)
	return nil
}

// minItem is the smallest size of an item in JSON with its comma, in bytes.
const minItem = 2

func appendFlat(dst, list []any, depth int) []any {
	for _, e := range list {
		if inner, ok := e.([]any); ok && depth > 0 {
			dst = appendFlat(dst, inner, depth-1)
		} else {
			dst = append(dst, e)
		}
	}
	return dst
}
