package engine

import (
	"slices"
	"strings"
)

// graph is the shape of a plan in numbers: all that the scheduler needs. Nodes, output
// slots, input slots and wires are numbered in document order. The "lo" slices have one
// entry more than the things they describe, so that thing i owns the range lo[i]:lo[i+1].
//
// After the slots of its declared ports, each node has slots for implicit ports: outputs
// $done and $error, and inputs $after and $when unless its role has none.
type graph struct {
	outLo    []int32 // node → its output slots
	inLo     []int32 // node → its input slots
	wireLo   []int32 // input slot → the wires into it
	edgeLo   []int32 // output slot → the edges out of it
	wires    []int32 // wire → output slot it comes from
	edges    []int32 // edge → node it leads to
	owner    []int32 // output slot → node
	partial  []bool  // input slot → whether it is partial: one value among the partial inputs of a node is enough
	after    []int32 // node → its slot of $after, followed by that of $when; -1 if it has neither
	disabled []bool  // node
}

func (g *graph) nodes() int { return len(g.disabled) }

// wiresInto returns the number of wires into node i.
func (g *graph) wiresInto(i int32) int32 {
	return g.wireLo[g.inLo[i+1]] - g.wireLo[g.inLo[i]]
}

// implicitOutputs is the number of implicit output slots of each node: $done and $error, in
// this order, after those of its declared ports.
const implicitOutputs = 2

// outEnd returns the end of the output slots of node i's declared ports.
func (g *graph) outEnd(i int32) int32 { return g.outLo[i+1] - implicitOutputs }

// doneSlot returns the output slot of node i's $done, errorSlot that of its $error.
func (g *graph) doneSlot(i int32) int32  { return g.outEnd(i) }
func (g *graph) errorSlot(i int32) int32 { return g.outEnd(i) + 1 }

// whenWire returns the output slot that is wired to node i's $when, or -1.
func (g *graph) whenWire(i int32) int32 {
	if g.after[i] < 0 {
		return -1
	}
	if lo := g.wireLo[g.after[i]+1]; lo < g.wireLo[g.after[i]+2] {
		return g.wires[lo]
	}
	return -1
}

// used reports whether output slot o is wired.
func (g *graph) used(o int32) bool { return g.edgeLo[o] != g.edgeLo[o+1] }

// connect builds edges and wires from links: edges by counting sort over their source,
// wires by counting sort over their target, in link order.
func (g *graph) connect(links []link) {
	outs, ins := g.outLo[len(g.outLo)-1], g.inLo[len(g.inLo)-1]
	g.edgeLo, g.wireLo = make([]int32, outs+1), make([]int32, ins+1)
	for _, l := range links {
		g.edgeLo[l.from+1]++
		g.wireLo[l.to+1]++
	}
	sum(g.edgeLo)
	sum(g.wireLo)
	g.edges, g.wires = make([]int32, len(links)), make([]int32, len(links))
	nextEdge, nextWire := append([]int32(nil), g.edgeLo...), append([]int32(nil), g.wireLo...)
	for i := range links {
		l := &links[i]
		g.edges[nextEdge[l.from]] = l.node
		nextEdge[l.from]++
		l.wire = nextWire[l.to]
		g.wires[l.wire] = l.from
		nextWire[l.to]++
	}
}

// link is one valid connection: from an output slot to an input slot of node.
type link struct {
	from, to, node int32
	wire           int32 // wire number, set by connect
}

// sum turns counts, stored at index i+1 for thing i, into offsets.
func sum(counts []int32) {
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
}

// findCycle reports one cycle, if there is any. It runs the scheduler until no node is
// ready, then follows the wires backwards among the remaining nodes.
func (l *level) findCycle() {
	g := &l.plan.graph
	s := newSchedule(g)
	seen := 0
	for i, ok := s.next(); ok; i, ok = s.next() {
		seen++
		for o := g.outLo[i]; o < g.outLo[i+1]; o++ {
			s.settle(o, slotEmitted)
		}
	}
	if seen+len(s.skipped) == g.nodes() {
		return
	}
	cycle := walkBack(s)
	names := make([]string, len(cycle))
	for i, n := range cycle {
		names[i] = brief(l.def.Nodes[n].ID)
	}
	l.add(len(l.def.Nodes)+len(l.def.Connections), &ValidationError{
		Code: CodeCycleDetected, NodeID: l.path + names[0],
		Message: "the connections form a cycle: " + strings.Join(names, " → "),
		Hint:    l.hint().cycle(),
	})
}

// walkBack returns a cycle among the nodes that s could not release, in the
// direction of its wires, with the first node repeated at the end.
func walkBack(s *schedule) []int32 {
	g := s.g
	at := int32(slices.IndexFunc(s.missing, func(m int32) bool { return m > 0 }))
	place := map[int32]int{}
	var path []int32
	for {
		if start, ok := place[at]; ok {
			cycle := append(path[start:], at)
			slices.Reverse(cycle)
			return cycle
		}
		place[at] = len(path)
		path = append(path, at)
		for _, o := range g.wires[g.wireLo[g.inLo[at]]:g.wireLo[g.inLo[at+1]]] {
			if s.missing[g.owner[o]] > 0 {
				at = g.owner[o]
				break
			}
		}
	}
}
