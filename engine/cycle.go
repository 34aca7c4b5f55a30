package engine

import (
	"slices"
	"strings"
)

// findCycle names one cycle, if there is any: it lets the scheduler run dry and
// then follows the wires backwards among the nodes that are left.
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
