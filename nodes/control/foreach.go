package control

import (
	"fmt"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The inputs of a foreach's body that are fed per item.
const (
	itemInput  = "item"
	indexInput = "index"
)

// Bounds of one foreach.
const (
	maxConcurrency = 256
	maxItems       = 1_000_000
)

// The slots of foreach's own inputs.
const (
	slotList = iota
	slotConcurrency
	slotOnItemError
)

// foreachNode is control.foreach.
func foreachNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "control.foreach", Label: "For each", Container: true, Timeout: node.BodyTimeout,
			Example: greeting(),
			Aliases: node.Words("loop, iterate, each item, repeat", "schleife, wiederholen, jedes element"),
			Loop:    &node.Loop{Over: "list", Item: itemInput, Index: indexInput},
			Description: "Runs its body once for each item of a list, several at once. The body takes the item from its input " +
				"`item` and, if it likes, the position (from 0) from `index`; its other inputs are ports of this node and the " +
				"same for every item. Each output of the body becomes a list in the order of the items, with null where an item " +
				"failed or emitted nothing.\n\n" +
				"With `onItemError` = `fail` the first item that fails stops the others and fails this node; with `skip` the rest " +
				"goes on and the failures are in `errors`.\n\n" +
				"Example: `list` = `[1,2,3]` and a body that doubles `item` into an output `twice` give `twice` = `[2,4,6]`.",
			Inputs: []node.Port{
				{Name: "list", Type: value.ListOf(value.Any()), Description: "The items, at most 1,000,000."},
				{Name: "concurrency", Type: value.Int(), Default: 8, Description: "How many items to work on at once, 1 to 256."},
				{Name: "onItemError", Type: value.EnumOf("fail", "skip"), Default: "fail", Description: "What to do when an item fails."},
			},
			Outputs: []node.Port{
				{Name: "count", Type: value.Int(), Description: "How many items the list has."},
				{Name: "errors", Type: value.MustType("list<record{index:int,item:any,code:string,message:string}>"), Description: "The items that failed, in order. Of an item of more than 4 KiB, `item` is the beginning of its JSON as text."},
			},
		},
		Bind: bindForeach,
	}
}

func bindForeach(b node.Binding) (node.Bound, []node.Problem) {
	if b.Body == nil {
		return node.Bound{}, noBody()
	}
	f := &foreach{enclose(b.Spec, b.Body)}
	f.addInputs(itemInput, indexInput)
	f.addOutputs(listOfNullable)
	f.problems = append(f.problems, checkRange(b, "concurrency", 1, maxConcurrency)...)
	if p := findPort(b.Body.Inputs(), indexInput); p != nil && value.Assign(value.Int(), p.Type) == value.Misfit {
		f.misfit(fmt.Sprintf("the body's input %q cannot take a number; its type is %s", indexInput, p.Type.Brief()), "make its type int, or rename it")
	}
	return f.bound(f.call)
}

func listOfNullable(t value.Type) value.Type { return value.ListOf(t.OrNull()) }
