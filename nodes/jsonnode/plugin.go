// Package jsonnode is the built-in plugin "json": nodes that read, write and query JSON.
// All nodes are pure. The package is not called json, so that it can be imported next to
// encoding/json.
package jsonnode

import "github.com/svcflow/svc/engine/node"

// Plugin returns the plugin.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "json",
		Category: "JSON",
		Card:     node.Card{Shape: "card", Color: "#EF6C00", Icon: "braces"},
		Nodes: []node.Node{
			parseNode(), stringifyNode(), pathNode(), queryNode().Broken(checkMachine()), validateNode(),
			pointerGetNode(), pointerSetNode(), mergeNode(), patchNode(), convertNode(), buildNode(),
		},
	}
}
