package control

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// route makes a node that only passes values on.
func route(spec node.Spec, call node.Call) node.Node {
	spec.Pure, spec.Inline = true, true
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, call)}
}

// valueNode is control.value.
func valueNode() node.Node {
	return route(node.Spec{
		Type: "control.value", Label: "Value",
		Aliases: node.Words("constant, set, fixed value", "konstante, wert, festlegen"),
		Description: "Holds a constant, or hands a value on under a name of its own.\n\n" +
			"Example: `value` = `{\"region\":\"eu\"}`.",
		Inputs:  []node.Port{{Name: "value", Type: value.Any(), Widget: "json", Description: "The value."}},
		Outputs: []node.Port{{Name: "value", Type: value.Any(), Description: "The same value."}},
	}, func(_ context.Context, in, out []any) error {
		out[0] = in[0]
		return nil
	})
}

// branchNode is control.branch.
func branchNode() node.Node {
	return route(node.Spec{
		Type: "control.branch", Label: "Branch",
		Aliases: node.Words("if, else, condition, decide", "wenn, sonst, bedingung, entscheidung"),
		Description: "Sends a value one of two ways. What hangs on the other way is skipped.\n\n" +
			"Example: `condition` from a comparison; what is wired to `truePath` runs only if it holds.",
		Inputs: []node.Port{
			{Name: "condition", Type: value.Bool(), Description: "Which way to go."},
			{Name: "value", Type: value.Any(), Optional: true, Description: "What to send; the condition if there is nothing."},
		},
		Outputs: []node.Port{
			{Name: "truePath", Type: value.Any(), Optional: true, Description: "The value, if the condition is true."},
			{Name: "falsePath", Type: value.Any(), Optional: true, Description: "The value, if the condition is false."},
		},
	}, branch)
}

func branch(_ context.Context, in, out []any) error {
	v := in[1]
	if !node.Present(v) {
		v = in[0]
	}
	if in[0] == true {
		out[0] = v
	} else {
		out[1] = v
	}
	return nil
}

// The inputs of a merge: a … z, of which a node has those up to the last that is used, and
// one more to wire into.
const (
	leastBranches = 4
	mostBranches  = 26
)

// mergeNode is control.merge.
func mergeNode() node.Node {
	spec := node.Spec{
		Type: "control.merge", Label: "Merge", Pure: true, Inline: true,
		Aliases: node.Words("join branches, first of, coalesce", "zusammenführen, vereinen, zweige"),
		Example: &node.Example{Config: map[string]any{"a": "the first that came"}},
		Description: "Brings branches together again: waits until it is certain which of its inputs come, and hands on the first " +
			"of them, in the order of the ports. Null counts as a value; if none comes, what follows is skipped.\n\n" +
			"Example: wire both ways of a branch into `a` and `b`. There is always a free input behind the last one that is used, up to `z`.",
		Inputs:  branches(leastBranches),
		Outputs: []node.Port{{Name: "result", Type: value.Any(), Description: "The first value that came."}},
	}
	return node.Node{Spec: spec, Bind: bindMerge}
}

func branches(n int) []node.Port {
	ports := make([]node.Port, n)
	for i := range ports {
		ports[i] = node.Port{Name: string(rune('a' + i)), Type: value.Any(), Optional: true, Partial: true, Description: "One of the branches."}
	}
	return ports
}

func bindMerge(b node.Binding) (node.Bound, []node.Problem) {
	inputs := branches(mostBranches)
	n := leastBranches
	for i := n - 1; i < mostBranches; i++ {
		_, given := b.Config[inputs[i].Name]
		if given || b.Wired(inputs[i].Name) {
			n = min(i+2, mostBranches)
		}
	}
	return node.Bound{Inputs: inputs[:n], Outputs: b.Spec.Outputs, Call: merge}, nil
}

func merge(_ context.Context, in, out []any) error {
	for _, v := range in {
		if node.Present(v) {
			out[0] = v
			break
		}
	}
	return nil
}
