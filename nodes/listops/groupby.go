package listops

import (
	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func groupByNode() node.Node {
	group := value.RecordOf(
		value.Field{Name: "key", Type: value.Any()},
		value.Field{Name: "items", Type: value.ListOf(value.Any())},
		value.Field{Name: "count", Type: value.Int()},
	)
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.group_by",
			Label:   "Group list",
			Aliases: node.Words("group, bucket, categorize", "gruppieren, bündeln"),
			Example: &node.Example{Config: map[string]any{"by": "item"}},
			Description: "Puts the items together for which an expression gives the same.\n\n" +
				"by `item.size` makes of `[{\"id\":1,\"size\":\"L\"},{\"id\":2,\"size\":\"S\"},{\"id\":3,\"size\":\"L\"}]` " +
				"`[{\"key\":\"L\",\"items\":[{\"id\":1,\"size\":\"L\"},{\"id\":3,\"size\":\"L\"}],\"count\":2},{\"key\":\"S\",\"items\":[{\"id\":2,\"size\":\"S\"}],\"count\":1}]`. " +
				"Values are compared by content; 1 and 1.0 are equal.\n\n" + expressionHelp,
			Inputs:  byInputs(node.Port{Description: "What the items of a group have in common: an expression for each `item`."}),
			Outputs: []node.Port{{Name: "groups", Type: value.ListOf(group), Description: "The groups in the order of their first items, and the items of each in their order."}},
			Pure:    true,
		},
		Bind: bindBy(groupBy),
	}
}

// group is a group while items are added.
type group struct {
	key   any
	items []any
}

func groupBy(e *expr.Evaluation, list, _, out []any) error {
	var groups []*group
	var keys keys
	byKey := map[any]*group{}
	for i, item := range list {
		v, err := e.Key(i, item)
		if err != nil {
			return err
		}
		key := keys.of(v)
		g, known := byKey[key]
		if !known {
			g = &group{key: v}
			byKey[key] = g
			groups = append(groups, g)
		}
		g.items = append(g.items, item)
	}
	if err := e.Meter().Hold(records(len(groups)) + value.ListWeight(len(list))); err != nil {
		return err
	}
	return emitGroups(groups, out)
}

func emitGroups(groups []*group, out []any) error {
	if err := countable(len(groups), "groups"); err != nil {
		return err
	}
	result := make([]any, len(groups))
	for i, g := range groups {
		result[i] = map[string]any{"key": g.key, "items": g.items, "count": len(g.items)}
	}
	out[0] = result
	return bounded(result)
}
