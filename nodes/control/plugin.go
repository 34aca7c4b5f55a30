// Package control has the "control" nodes: they route values, wait, fail, and run the
// workflow inside them once or repeatedly.
//
// A container runs its body through [node.Body]; the package knows no engine.
package control

import "github.com/svcflow/svc/engine/node"

// Plugin returns the nodes of group control.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "control",
		Category: "Control",
		Card:     node.Card{Shape: "card", Color: "#7C3AED", Icon: "branch"},
		Nodes: []node.Node{
			valueNode(), branchNode(), switchNode(), mergeNode(),
			foreachNode(), whileNode(), subworkflowNode(),
			delayNode(), failNode(),
		},
	}
}
