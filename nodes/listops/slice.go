package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func sliceNode() node.Node {
	spec := node.Spec{
		Type:    "listops.slice",
		Label:   "Slice list",
		Aliases: node.Words("part of list, first items, limit, take", "teil der liste, ausschnitt, begrenzen"),
		Description: "Takes the items from start up to, but without, end: start 1, end 3 of `[\"a\",\"b\",\"c\",\"d\"]` gives `[\"b\",\"c\"]`.\n\n" +
			"A negative number counts from the end of the list, so start -2 gives the last two items, and end -1 all but the last one. " +
			"What lies outside of the list is left out; it is no error.",
		Inputs: []node.Port{
			listPort(),
			{Name: "start", Type: value.Int(), Default: 0, Description: "Index of the first item, from 0."},
			{Name: "end", Type: value.Int().OrNull(), Optional: true, Description: "Index behind the last item; null takes all to the end."},
		},
		Outputs: []node.Port{resultPort("The items from start to end.")},
		Pure:    true, Inline: true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, slice)}
}

// slice returns a slice of the input list. This is safe because values are never modified.
func slice(_ context.Context, in, out []any) error {
	list, _ := in[0].([]any)
	start, _ := in[1].(int)
	end, given := in[2].(int)
	if !given {
		end = len(list)
	}
	start, end = clamp(start, len(list)), clamp(end, len(list))
	end = max(start, end)
	out[0] = list[start:end:end]
	return nil
}

// clamp converts an index, which may be negative, to an index from 0 to n.
func clamp(index, n int) int {
	if index < 0 {
		index += n // cannot overflow: the signs differ
	}
	return min(max(index, 0), n)
}
