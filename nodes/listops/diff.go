package listops

import (
	"context"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func diffNode() node.Node {
	change := value.RecordOf(
		value.Field{Name: "key", Type: value.Any()},
		value.Field{Name: "before", Type: value.RecordOf()},
		value.Field{Name: "after", Type: value.RecordOf()},
	)
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.diff",
			Label:   "Compare lists",
			Aliases: node.Words("difference, changes, sync, compare, added removed", "unterschied, abgleichen, vergleichen, änderungen"),
			Example: &node.Example{Config: map[string]any{
				"by": "item.id", "before": []any{map[string]any{"id": 1, "state": "open"}}, "after": []any{map[string]any{"id": 1, "state": "done"}},
			}},
			Description: "Tells what has changed from one list of records to another: what was added, what was removed, and what is there in both and differs.\n\n" +
				"by `item.id` makes of `[{\"id\":1,\"state\":\"open\"},{\"id\":2}]` and `[{\"id\":1,\"state\":\"done\"},{\"id\":3}]` " +
				"added `[{\"id\":3}]`, removed `[{\"id\":2}]` and changed `[{\"key\":1,\"before\":{\"id\":1,\"state\":\"open\"},\"after\":{\"id\":1,\"state\":\"done\"}}]`. " +
				"Each key stands once in a list, and no record is without one.\n\n" + recordHelp,
			Inputs: []node.Port{
				recordsPort("before", "The records as they were."),
				recordsPort("after", "The records as they are."),
				keyPort("before", "by", "By what a record is known again: an expression for each `item` of both lists."),
			},
			Outputs: []node.Port{
				recordsOut("added", "Those only in after, in its order."),
				recordsOut("removed", "Those only in before, in its order."),
				{Name: "changed", Type: value.ListOf(change), Description: "Those in both that differ, in the order of after."},
				{Name: "same", Type: value.Int(), Description: "How many are the same in both."},
			},
			Pure: true,
		},
		Bind: bindDiff,
	}
}

func bindDiff(b node.Binding) (node.Bound, []node.Problem) {
	by, problems := expr.Compile(b.Config, "by")
	call := func(ctx context.Context, in, out []any) error {
		before, err := single(ctx, by, "before", in[0])
		if err != nil {
			return err
		}
		after, err := single(ctx, by, "after", in[1])
		if err != nil {
			return err
		}
		added, removed, changed, same := []any{}, []any{}, []any{}, 0
		for i, item := range after.list {
			at, known := before.places[after.ids[i]]
			switch {
			case !known:
				added = append(added, item)
			case after.hash.of(before.list[at]) == after.hash.of(item):
				same++
			default:
				changed = append(changed, map[string]any{"key": after.keys[i], "before": before.list[at], "after": item})
			}
		}
		for i, item := range before.list {
			if _, known := after.places[before.ids[i]]; !known {
				removed = append(removed, item)
			}
		}
		out[0], out[1], out[2], out[3] = added, removed, changed, same
		return bounded(changed)
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: by.Hints()}, problems
}

// known is a list of records with unique keys.
type known struct {
	list   []any
	keys   []any       // results of the expression
	ids    []any       // the keys in the form of [keys], for comparing
	places map[any]int // indexes by id
	hash   keys
}

func single(ctx context.Context, by *expr.Expression, port string, v any) (*known, error) {
	list, _ := v.([]any)
	k := &known{list: list, keys: make([]any, len(list)), ids: make([]any, len(list)), places: make(map[any]int, len(list))}
	evaluation := by.Start(ctx, nil)
	for i, item := range list {
		key, err := evaluation.Key(i, item)
		if err != nil {
			return nil, err
		}
		if key == nil {
			return nil, node.Permanent(node.Errorf(node.CodeInvalidInput, "item %d of %s has no key: by gives null; leave such items out with listops.filter", i, port))
		}
		id := k.hash.of(key)
		if first, twice := k.places[id]; twice {
			return nil, node.Permanent(node.Errorf(node.CodeInvalidInput,
				"items %d and %d of %s have the same key; use an expression that tells them apart, or listops.unique before", first, i, port))
		}
		k.keys[i], k.ids[i], k.places[id] = key, id, i
	}
	return k, nil
}
