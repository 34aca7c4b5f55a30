// Package time is the plugin "time": nodes for the current time, for parsing and formatting, and for date
// arithmetic. No node is pure: outputs are recorded with the run, so that a resumed run sees the same time.
package time

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/span"
	"github.com/svcflow/svc/nodes/zone"
)

// Plugin returns the plugin.
func Plugin() node.Plugin {
	z, v := &zone.Table{}, newVocabulary()
	return node.Bundle{
		Name:     "time",
		Category: "Time",
		Card:     node.Card{Shape: "card", Color: "#00838F", Icon: "clock"},
		Nodes: []node.Node{
			nowNode(z), formatNode(z, v), parseNode(z, v), addNode(z, span.NewReader()), diffNode(z), roundNode(z),
		},
	}
}

// The inputs that several nodes have.
const (
	timezonePort = "timezone"
	layoutPort   = "layout"
	languagePort = "language"
)

// checked lets a node refuse at validation what its config has for a text input, as
// check would in a run.
func checked(n node.Node, checks map[string]func(string) error) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		for i := range b.Spec.Inputs {
			port := b.Spec.Inputs[i].Name
			text, given := b.Config[port].(string)
			if check := checks[port]; given && check != nil {
				if err := check(text); err != nil {
					problems = append(problems, node.Invalid(port, "%v", err))
				}
			}
		}
		return bound, problems
	}
	return n
}

// invalid makes err a permanent failure of an input.
func invalid(err error) error {
	return node.Permanent(node.Errorf(node.CodeInvalidInput, "%w", err))
}
