package listops

import (
	"slices"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func sortNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.sort",
			Label:   "Sort list",
			Aliases: node.Words("order, arrange, rank", "sortieren, ordnen, reihenfolge"),
			Example: &node.Example{Config: map[string]any{"by": "item"}},
			Description: "Puts the items of a list in order.\n\n" +
				"by `item.age` puts `[{\"n\":\"b\",\"age\":7},{\"n\":\"a\",\"age\":3}]` the other way round; " +
				"by `[item.country, item.name]` goes by country first, and within one by name; by `lower(item)` takes no notice of case.\n\n" +
				"Any values can be compared: null comes first, then false, true, numbers, text (by code point: `Z` before `a` before `é`), lists and records. " +
				"Items that compare as equal keep their order, also when `descending`.\n\n" + expressionHelp,
			Inputs: byInputs(
				node.Port{Default: byItem, Description: "What to go by: an expression for each `item`."},
				node.Port{Name: "descending", Type: value.Bool(), Default: false, Description: "Whether the greatest comes first."},
			),
			Outputs: []node.Port{resultPort("The same items in order.")},
			Pure:    true,
		},
		Bind: bindBy(sortList),
	}
}

// ranked is the index of an item with its sort key.
type ranked struct {
	key   any
	index int
}

// sortList sorts by key and then by index. The result is stable, and faster than
// slices.SortStableFunc.
func sortList(e *expr.Evaluation, list, in, out []any) error {
	entries := make([]ranked, len(list))
	for i, item := range list {
		key, err := e.Key(i, item)
		if err != nil {
			return err
		}
		entries[i] = ranked{key, i}
	}
	sign := 1
	if descending, _ := in[2].(bool); descending {
		sign = -1
	}
	order := order{meter: e.Meter()}
	slices.SortFunc(entries, func(a, b ranked) int {
		if c := order.compare(a.key, b.key); c != 0 {
			return sign * c
		}
		return a.index - b.index
	})
	if order.err != nil {
		return order.err
	}
	result := make([]any, len(list))
	for i := range entries {
		result[i] = list[entries[i].index]
	}
	out[0] = result
	return nil
}
