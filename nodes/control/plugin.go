// Package control holds the "control" nodes: they choose where values go, wait,
// fail, and run the workflows inside them again and again.
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
