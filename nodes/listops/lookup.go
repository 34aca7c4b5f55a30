package listops

import (
	"context"
	"maps"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func lookupNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.lookup",
			Label:   "Look up",
			Aliases: node.Words("vlookup, enrich, find in table, add fields", "sverweis, nachschlagen, anreichern"),
			Example: &node.Example{Config: map[string]any{
				"by": "item.country", "tableBy": "item.code",
				"list": []any{map[string]any{"name": "Ada", "country": "GB"}}, "table": []any{map[string]any{"code": "GB", "title": "Great Britain"}},
			}},
			Description: "Adds to each record what a table says of it: by `item.country`, tableBy `item.code` and into `land` make of `[{\"country\":\"GB\"}]` and the table " +
				"`[{\"code\":\"GB\",\"title\":\"Great Britain\"}]` `[{\"country\":\"GB\",\"land\":{\"code\":\"GB\",\"title\":\"Great Britain\"}}]`.\n\n" +
				"The number of records stays the same. Of several that match, the first is taken, or with many all of them, as a list; without a match the field is null, or with many an empty list.\n\n" + recordHelp,
			Inputs: []node.Port{
				recordsPort("list", "The records to add to."),
				recordsPort("table", "The records to look in."),
				keyPort("list", "by", "What to look for: an expression for each `item` of list."),
				otherKeyPort("table", "tableBy", "The expression for those of table, if they name it differently."),
				{Name: "into", Type: value.String(), Default: "match", Description: "The name of the field that gets what was found."},
				{Name: "many", Type: value.Bool(), Default: false, Description: "Whether to take all that match."},
			},
			Outputs: []node.Port{
				recordsOut("result", "The records with that field, in order."),
				recordsOut("missing", "Those for which the table has nothing, as they came."),
			},
			Pure: true,
		},
		Bind: bindLookup,
	}
}

func bindLookup(b node.Binding) (node.Bound, []node.Problem) {
	by, tableBy, problems := compileKeys(b.Config, "by", "tableBy")
	call := func(ctx context.Context, in, out []any) error {
		list, _ := in[0].([]any)
		rows, _ := in[1].([]any)
		into, _ := in[4].(string)
		many, _ := in[5].(bool)
		table, err := index(ctx, tableBy, rows)
		if err != nil {
			return err
		}
		result, missing := make([]any, len(list)), []any{}
		evaluation := by.Start(ctx, nil)
		for i, item := range list {
			key, err := evaluation.Key(i, item)
			if err != nil {
				return err
			}
			found := table.find(key)
			if len(found) == 0 {
				missing = append(missing, item)
			}
			result[i] = with(item, into, table.take(found, many))
		}
		out[0], out[1] = result, missing
		return bounded(result)
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: append(by.Hints(), hintsBeside(by, tableBy)...)}, problems
}

// take returns the first of the records at these indexes, or all of them if many is set.
func (k *keyed) take(places []int, many bool) any {
	if !many {
		if len(places) == 0 {
			return nil
		}
		return k.list[places[0]]
	}
	all := make([]any, len(places))
	for i, at := range places {
		all[i] = k.list[at]
	}
	return all
}

// with returns a copy of a record with an additional field.
func with(item any, name string, v any) map[string]any {
	record, _ := item.(map[string]any)
	made := make(map[string]any, len(record)+1)
	maps.Copy(made, record)
	made[name] = v
	return made
}
