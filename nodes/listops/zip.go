package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func zipNode() node.Node {
	pair := value.RecordOf(value.Field{Name: "a", Type: value.Any()}, value.Field{Name: "b", Type: value.Any()})
	spec := node.Spec{
		Type:    "listops.zip",
		Label:   "Zip lists",
		Aliases: node.Words("zip, pair, combine lists, side by side", "zip, paare, listen verbinden"),
		Example: &node.Example{Config: map[string]any{"listB": []any{"c", "a", "b"}}},
		Description: "Pairs the items of two lists: `[\"x\",\"y\"]` and `[1,2]` give `[{\"a\":\"x\",\"b\":1},{\"a\":\"y\",\"b\":2}]`.\n\n" +
			"It stops at the end of the shorter list; compare the lengths with `listops.length` where they have to be the same.",
		Inputs: []node.Port{
			{Name: "listA", Type: value.ListOf(value.Any()), Description: "The items that become `a`."},
			{Name: "listB", Type: value.ListOf(value.Any()), Description: "The items that become `b`."},
		},
		Outputs: []node.Port{{Name: "result", Type: value.ListOf(pair), Description: "The pairs, in order."}},
		Pure:    true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, zip)}
}

func zip(ctx context.Context, in, out []any) error {
	a, _ := in[0].([]any)
	b, _ := in[1].([]any)
	n := min(len(a), len(b))
	if err := countable(n, "pairs"); err != nil {
		return err
	}
	if err := node.Hold(ctx, records(n)); err != nil {
		return err
	}
	result := make([]any, n)
	for i := range result {
		result[i] = map[string]any{"a": a[i], "b": b[i]}
	}
	out[0] = result
	return bounded(result)
}
