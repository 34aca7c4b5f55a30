package listops

import (
	"math"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func sumNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.sum",
			Label:   "Sum list",
			Aliases: node.Words("add, total, average, mean, min, max", "summe, mittelwert, durchschnitt, minimum, maximum"),
			Example: &node.Example{Config: map[string]any{"by": "item"}},
			Description: "Adds up numbers, and finds the smallest and the largest: `[2,4,0.5]` gives sum 6.5, min 0.5, max 4 and count 3.\n\n" +
				"by `item.price * item.qty` adds up what records cost. Every item has to give a number: write `item.price ?? 0` where it may be missing. " +
				"The sum is calculated exactly and rounded once at the end, so `[0.1,0.2,0.3]` gives 0.6; a float has 15 digits.\n\n" + expressionHelp,
			Inputs: byInputs(node.Port{Default: byItem, Description: "The number to add up: an expression for each `item`."}),
			Outputs: []node.Port{
				{Name: "sum", Type: value.Float(), Description: "The sum; 0 for an empty list."},
				{Name: "min", Type: value.Any(), Description: "The smallest number; null for an empty list."},
				{Name: "max", Type: value.Any(), Description: "The largest number; null for an empty list."},
				{Name: "mean", Type: value.Float().OrNull(), Description: "The sum divided by the count; null for an empty list."},
				{Name: "count", Type: value.Int(), Description: "How many numbers there are."},
			},
			Pure: true,
		},
		Bind: bindBy(sum),
	}
}

func sum(e *expr.Evaluation, list, _, out []any) error {
	var total total
	var least, most any
	for i, item := range list {
		v, err := e.Key(i, item)
		if err != nil {
			return err
		}
		if !expr.IsNumber(v) {
			return node.Permanent(node.Errorf(node.CodeTypeError,
				"item %d gives %s and not a number; leave such items out with listops.filter, or write item.price ?? 0 where a field may be null", i, value.KindOf(v)))
		}
		total.add(v)
		if i == 0 || compareNumbers(v, least) < 0 {
			least = v
		}
		if i == 0 || compareNumbers(v, most) > 0 {
			most = v
		}
	}
	return emitSum(total.float(), least, most, len(list), out)
}

func emitSum(sum float64, least, most any, count int, out []any) error {
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return node.Permanent(node.Errorf(node.CodeNotFinite, "the sum is beyond the largest float, 1.8e308; divide the numbers first, in by"))
	}
	out[0], out[1], out[2], out[3], out[4] = sum, least, most, nil, count
	if count > 0 {
		out[3] = sum / float64(count)
	}
	return nil
}
