//go:build linux && cgo && !ci

package main

import (
	"strconv"

	"github.com/svcflow/svc/engine/workflow"
)

// lattice returns a workflow of nodes in rows, with two wires for each.
func lattice(n int) func() *workflow.Definition {
	return func() *workflow.Definition {
		return grid(n, func(i int) workflow.Node {
			if i%5 == 4 {
				return workflow.Node{Type: "microblog.send_dm", Config: map[string]any{"credential": "microblog:main"}}
			}
			return workflow.Node{Type: "text.join", Config: map[string]any{"delimiter": ", "}}
		}, latticeWire)
	}
}

func latticeWire(from, to int) (output, input string) {
	output, input = "text", "parts"
	if from%5 == 4 {
		output = "message_id"
	}
	switch {
	case to%5 == 4 && from == to-1:
		input = "text"
	case to%5 == 4:
		input = "recipient_id"
	}
	return output, input
}

// slow returns a workflow that runs for a while, row beside row: each node waits.
func slow(n int) func() *workflow.Definition {
	return func() *workflow.Definition {
		return grid(n, func(i int) workflow.Node {
			const wait, spread = 150, 100 // milliseconds
			return workflow.Node{Type: "control.delay", Config: map[string]any{"ms": wait + i*37%spread}}
		}, func(from, to int) (output, input string) {
			if from == to-1 {
				return "value", "value"
			}
			return "", ""
		})
	}
}

// grid returns n nodes in rows, each with wires from its left and upper neighbours, unless
// wire returns no ports.
func grid(n int, node func(int) workflow.Node, wire func(from, to int) (output, input string)) *workflow.Definition {
	const perRow, across, down = 40, 240, 140
	def := &workflow.Definition{ID: "grid", Name: "Grid"}
	name := func(i int) string { return "n" + strconv.Itoa(i) }
	for i := range n {
		next := node(i)
		next.ID, next.Position = name(i), &workflow.Position{X: float64(i%perRow) * across, Y: float64(i/perRow) * down}
		def.Nodes = append(def.Nodes, next)
		for _, before := range []int{i - 1, i - perRow} {
			if before < 0 || before == i-1 && i%perRow == 0 {
				continue
			}
			if output, input := wire(before, i); output != "" {
				def.Connections = append(def.Connections, workflow.Connection{
					FromNodeID: name(before), FromPort: output, ToNodeID: name(i), ToPort: input,
				})
			}
		}
	}
	return def
}
