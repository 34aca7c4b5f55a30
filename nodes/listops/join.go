package listops

import (
	"context"
	"maps"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The kinds of a join.
const (
	joinInner = "inner"
	joinLeft  = "left"
	joinRight = "right"
	joinFull  = "full"
	joinAnti  = "anti"
)

func joinNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.join",
			Label:   "Join lists",
			Aliases: node.Words("merge by key, sql join, combine records, match", "verknüpfen, zusammenführen, verbinden nach schlüssel"),
			Example: &node.Example{Config: map[string]any{
				"by": "item.id", "left": []any{map[string]any{"id": 1, "name": "Ada"}}, "right": []any{map[string]any{"id": 1, "city": "London"}},
			}},
			Description: "Puts the records of two lists together for which an expression gives the same, as databases do.\n\n" +
				"by `item.id` makes of `[{\"id\":1,\"name\":\"Ada\"}]` and `[{\"id\":1,\"city\":\"London\"}]` `[{\"id\":1,\"name\":\"Ada\",\"city\":\"London\"}]`. " +
				"Where several match, each pair is a record.\n\n" +
				"kind says what becomes of those without a match: `inner` leaves them out, `left` keeps those of left, `right` those of right, `full` both, " +
				"and `anti` gives just those of left. A field that both have with different values stands twice, that of right with prefix before its name.\n\n" + recordHelp,
			Inputs: []node.Port{
				recordsPort("left", "The first list."),
				recordsPort("right", "The second list."),
				keyPort("left", "by", "What records have in common: an expression for each `item` of both lists."),
				otherKeyPort("right", "rightBy", "The expression for those of right, if they name it differently."),
				{Name: "kind", Type: value.EnumOf(joinInner, joinLeft, joinRight, joinFull, joinAnti), Default: joinInner, Description: "What becomes of records without a match."},
				{Name: "prefix", Type: value.String(), Default: "right_", Description: "What stands before the names of fields that left has with another value."},
			},
			Outputs: []node.Port{
				recordsOut("result", "The records: in the order of left, then those of right without a match."),
				recordsOut("unmatchedLeft", "Those of left without a match."),
				recordsOut("unmatchedRight", "Those of right without a match."),
			},
			Pure: true,
		},
		Bind: bindJoin,
	}
}

func bindJoin(b node.Binding) (node.Bound, []node.Problem) {
	by, rightBy, problems := compileKeys(b.Config, "by", "rightBy")
	call := func(ctx context.Context, in, out []any) error {
		j := join{pairs: []any{}, left: []any{}, right: []any{}}
		j.kind, _ = in[4].(string)
		j.prefix, _ = in[5].(string)
		left, _ := in[0].([]any)
		right, _ := in[1].([]any)
		if err := j.match(ctx, by, rightBy, left, right); err != nil {
			return err
		}
		return j.emit(out)
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call, Hints: append(by.Hints(), hintsBeside(by, rightBy)...)}, problems
}

// hintsBeside returns the hints for other, unless it is the same expression as e.
func hintsBeside(e, other *expr.Expression) []node.Problem {
	if e == other {
		return nil
	}
	return other.Hints()
}

// join is the state of one call.
type join struct {
	kind, prefix string
	pairs        []any // the joined records, including records of left without a match if kind keeps them
	left, right  []any // records without a match
}

func (j *join) match(ctx context.Context, by, rightBy *expr.Expression, left, right []any) error {
	table, err := index(ctx, rightBy, right)
	if err != nil {
		return err
	}
	found, pairs, matched := make([][]int, len(left)), 0, make([]bool, len(right))
	evaluation := by.Start(ctx, nil)
	for i, item := range left {
		key, err := evaluation.Key(i, item)
		if err != nil {
			return err
		}
		found[i] = table.find(key)
		pairs += len(found[i])
		if len(found[i]) == 0 || matched[found[i][0]] {
			continue
		}
		for _, at := range found[i] { // once for each matching record
			matched[at] = true
		}
	}
	if err := countable(pairs, "pairs"); j.kind != joinAnti && err != nil {
		return err
	}
	for i, item := range left {
		j.add(item, found[i], right)
	}
	for i, item := range right {
		if !matched[i] {
			j.right = append(j.right, item)
		}
	}
	return nil
}

// add adds a record of left with its matches.
func (j *join) add(item any, found []int, right []any) {
	switch {
	case len(found) > 0 && j.kind != joinAnti:
		for _, at := range found {
			j.pairs = append(j.pairs, j.pair(item, right[at]))
		}
	case len(found) == 0:
		j.left = append(j.left, item)
		if j.kind == joinLeft || j.kind == joinFull {
			j.pairs = append(j.pairs, item)
		}
	}
}

// pair merges two records.
func (j *join) pair(left, right any) map[string]any {
	l, _ := left.(map[string]any)
	r, _ := right.(map[string]any)
	made := make(map[string]any, len(l)+len(r))
	maps.Copy(made, l)
	var keys keys
	for name, v := range r {
		if before, both := l[name]; both {
			if keys.of(before) == keys.of(v) {
				continue
			}
			name = j.prefix + name
		}
		made[name] = v
	}
	return made
}

func (j *join) emit(out []any) error {
	switch j.kind {
	case joinRight, joinFull:
		j.pairs = append(j.pairs, j.right...)
	case joinAnti:
		j.pairs = j.left
	}
	out[0], out[1], out[2] = j.pairs, j.left, j.right
	return bounded(j.pairs)
}
