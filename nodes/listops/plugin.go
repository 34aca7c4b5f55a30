// Package listops is the built-in plugin "list-ops": nodes that make, combine, count and
// reshape lists. Their expressions are those of package expr. All nodes are pure.
package listops

import "github.com/svcflow/svc/engine/node"

// Plugin returns the plugin.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "list-ops",
		Category: "Lists",
		Card:     node.Card{Shape: "card", Color: "#1565C0", Icon: "list"},
		Nodes: []node.Node{
			mapNode(), filterNode(), reduceNode(), sortNode(), groupByNode(), uniqueNode(), zipNode(), flattenNode(),
			sliceNode(), rangeNode(), lengthNode(), getNode(), concatNode(), sumNode(),
			chunkNode(), joinNode(), lookupNode(), aggregateNode(), pivotNode(), diffNode(), selectNode(),
		},
	}
}
