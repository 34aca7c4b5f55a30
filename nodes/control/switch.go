package control

import (
	"context"
	"strconv"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxCases bounds the cases of one switch, each of which is a port.
const maxCases = 256

// switchNode is control.switch.
func switchNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "control.switch", Label: "Switch", Pure: true, Inline: true,
			Aliases: node.Words("case, route, choose", "fallunterscheidung, weiche, auswahl"),
			Example: &node.Example{Config: map[string]any{"cases": []any{"yes", "no"}}},
			Description: "Sends a value the way of the case that equals it, else to `default`. What hangs on the other ways is " +
				"skipped. Values are compared by content; 1 and 1.0 are equal.\n\n" +
				"Example: `cases` = `[\"new\",\"paid\"]` gives the outputs `case0`, `case1` and `default`.",
			Inputs: []node.Port{
				{Name: "value", Type: value.Any(), Description: "What to send."},
				{Name: "cases", Type: value.ListOf(value.Any()), Literal: true, Widget: "json", Description: "The values to compare with; the output of the first is case0."},
			},
			Outputs: []node.Port{{Name: "default", Type: value.Any(), Optional: true, Description: "The value, if no case equals it."}},
		},
		Bind: bindSwitch,
	}
}

func bindSwitch(b node.Binding) (node.Bound, []node.Problem) {
	v, given := b.Config["cases"]
	cases, ok := v.([]any)
	switch {
	case !given:
		return node.Bound{}, []node.Problem{node.Invalid("cases", "list the values to compare with, for example [\"new\",\"paid\"]")}
	case !ok:
		return node.Bound{}, []node.Problem{node.Invalid("cases", "expected a list of cases, got %s", value.KindOf(v))}
	case len(cases) > maxCases:
		return node.Bound{}, []node.Problem{node.Invalid("cases", "%d cases are too many; at most %d", len(cases), maxCases)}
	}
	bound := node.Bound{Inputs: b.Spec.Inputs, Call: choose(cases)}
	var problems []node.Problem
	for i, c := range cases {
		if first := find(cases, c); first < i {
			problems = append(problems, node.Invalid("cases", "case %d equals case %d and would never be taken; remove it", i, first))
		}
		bound.Outputs = append(bound.Outputs, node.Port{
			Name: "case" + strconv.Itoa(i), Type: value.Any(), Optional: true,
			Description: "The value, if it equals case " + strconv.Itoa(i) + ".",
		})
	}
	bound.Outputs = append(bound.Outputs, b.Spec.Outputs...)
	return bound, problems
}

// choose returns the call of a switch with these cases; behind their outputs
// comes the default.
func choose(cases []any) node.Call {
	return func(_ context.Context, in, out []any) error {
		out[find(cases, in[0])] = in[0]
		return nil
	}
}

// find returns the index of the first case that equals v, len(cases) if none does.
func find(cases []any, v any) int {
	for i, c := range cases {
		if equal(c, v) {
			return i
		}
	}
	return len(cases)
}
