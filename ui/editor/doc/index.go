package doc

import (
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
)

// index finds the parts of a level. The first of several nodes with one id counts.
type index struct {
	nodes     map[string]int   // id → index
	into, out map[string][]int // node id → indexes of its wires, in document order
}

func (d *Document) lookup() *index {
	if d.index != nil {
		return d.index
	}
	x := &index{nodes: make(map[string]int, len(d.level.Nodes)), into: map[string][]int{}, out: map[string][]int{}}
	for i := range d.level.Nodes {
		if _, twice := x.nodes[d.level.Nodes[i].ID]; !twice {
			x.nodes[d.level.Nodes[i].ID] = i
		}
	}
	for i := range d.level.Connections {
		c := &d.level.Connections[i]
		x.into[c.ToNodeID] = append(x.into[c.ToNodeID], i)
		x.out[c.FromNodeID] = append(x.out[c.FromNodeID], i)
	}
	d.index = x
	return x
}

// Wired reports whether a wire leads to a node of the level, or away from it.
func (d *Document) Wired(id string) bool {
	x := d.lookup()
	return len(x.into[id])+len(x.out[id]) > 0
}

// wiresInto returns the indexes of the wires into one input.
func (d *Document) wiresInto(id, port string) []int {
	var wires []int
	for _, i := range d.lookup().into[id] {
		if d.level.Connections[i].ToPort == port {
			wires = append(wires, i)
		}
	}
	return wires
}

// names generates ids that a level does not have yet.
type names struct{ taken map[string]bool }

func nodeNames(level *workflow.Definition) *names {
	n := &names{make(map[string]bool, len(level.Nodes))}
	for i := range level.Nodes {
		n.taken[level.Nodes[i].ID] = true
	}
	return n
}

func groupNames(level *workflow.Definition) *names {
	n := &names{make(map[string]bool, len(level.Groups))}
	for i := range level.Groups {
		n.taken[level.Groups[i].ID] = true
	}
	return n
}

func noteNames(level *workflow.Definition) *names {
	n := &names{make(map[string]bool, len(level.Notes))}
	for i := range level.Notes {
		n.taken[level.Notes[i].ID] = true
	}
	return n
}

// unique returns wish if it is free, else its stem with the next free number.
func (n *names) unique(wish string) string {
	if wish != "" && !n.taken[wish] {
		n.taken[wish] = true
		return wish
	}
	stem := strings.TrimRight(wish, "0123456789")
	if stem == "" {
		stem = "n"
	}
	for i := 2; ; i++ {
		if id := stem + strconv.Itoa(i); !n.taken[id] {
			n.taken[id] = true
			return id
		}
	}
}

// idFor returns the id of the first node of a type: the part of the type after the dot.
func idFor(typ string) string {
	if i := strings.LastIndexByte(typ, '.'); i >= 0 {
		typ = typ[i+1:]
	}
	return typ
}
