package runs

import (
	"reflect"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Ran is what a run was started with.
type Ran struct {
	Def     *workflow.Definition
	Inputs  map[string]any
	Trigger string
	Payload map[string]any
	Pins    map[string]engine.Pin // the user's
}

// Reuse finds the nodes of the outermost level that would compute the same again.
type Reuse struct {
	// Role returns the role of a node type, Acts reports whether a second call of a node may
	// repeat a side effect, and Gave returns how the node ended in the last run; ok is false
	// if its outputs are unknown.
	Role func(typ string) node.Role
	Acts func(n *workflow.Node) bool
	Gave func(id string) (status engine.Status, ok bool)
}

// Unchanged returns the nodes of next whose call would equal that of the last run: their
// type, config and body are the same, and so is everything that leads to them. Nodes with
// side effects are left out unless they are pinned. Inputs and triggers are included if they
// have the same values.
func (u Reuse) Unchanged(before, next *Ran) map[string]bool {
	if before == nil {
		return nil
	}
	w := weighing{Reuse: u, before: before, next: next, was: nodesOf(before.Def), into: wiresInto(next.Def), had: wiresInto(before.Def)}
	unchanged, steady := map[string]bool{}, map[string]bool{}
	nodes, left, after := nodesOf(next.Def), map[string]int{}, map[string][]string{}
	var ready []string
	for id, n := range nodes {
		for _, c := range w.into[id] {
			after[c.FromNodeID] = append(after[c.FromNodeID], id)
		}
		if left[id] = len(w.into[id]); left[id] == 0 {
			ready = append(ready, n.ID)
		}
	}
	for len(ready) > 0 { // nodes of a cycle are never ready
		id := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if steady[id], unchanged[id] = w.judge(nodes[id], steady); !unchanged[id] {
			delete(unchanged, id)
		}
		for _, behind := range after[id] {
			if left[behind]--; left[behind] == 0 {
				ready = append(ready, behind)
			}
		}
	}
	return unchanged
}

type weighing struct {
	Reuse

	before, next *Ran
	was          map[string]*workflow.Node
	into, had    map[string][]workflow.Connection
}

// judge returns whether a node would give the same outputs again, and whether it can be
// skipped.
func (w *weighing) judge(n *workflow.Node, steady map[string]bool) (same, unchanged bool) {
	for _, c := range w.into[n.ID] {
		if !steady[c.FromNodeID] {
			return false, false
		}
	}
	if !w.alike(n) {
		return false, false
	}
	status, known := w.Gave(n.ID)
	switch w.Role(n.Type) {
	case node.RoleInput:
		same = reflect.DeepEqual(w.before.Inputs, w.next.Inputs)
		return same, same
	case node.RoleTrigger:
		same = w.before.Trigger == w.next.Trigger && (n.ID != w.next.Trigger || known && reflect.DeepEqual(w.before.Payload, w.next.Payload))
		return same, same
	case node.RoleStep, node.RoleOutput:
	}
	if _, pinned := w.next.Pins[n.ID]; pinned || n.Disabled || status == engine.StatusSkipped {
		return true, false // it is not called anyway
	}
	same = known && status == engine.StatusSucceeded && !w.Acts(n)
	return same, same
}

// alike reports whether a node is unchanged, with the same wires and pins.
func (w *weighing) alike(n *workflow.Node) bool {
	was := w.was[n.ID]
	if was == nil || was.Type != n.Type || was.Disabled != n.Disabled || !reflect.DeepEqual(was.Config, n.Config) || !reflect.DeepEqual(was.Body, n.Body) {
		return false
	}
	return reflect.DeepEqual(w.had[n.ID], w.into[n.ID]) && reflect.DeepEqual(pinsOf(w.before.Pins, n.ID), pinsOf(w.next.Pins, n.ID))
}

func nodesOf(def *workflow.Definition) map[string]*workflow.Node {
	all := map[string]*workflow.Node{}
	for i := range def.Nodes {
		all[def.Nodes[i].ID] = &def.Nodes[i]
	}
	return all
}

// wiresInto returns the wires into each node, without their points.
func wiresInto(def *workflow.Definition) map[string][]workflow.Connection {
	into := map[string][]workflow.Connection{}
	for _, c := range def.Connections {
		c.Via = nil
		into[c.ToNodeID] = append(into[c.ToNodeID], c)
	}
	return into
}

// pinsOf returns the pins of a node, and of the nodes in it.
func pinsOf(pins map[string]engine.Pin, id string) map[string]engine.Pin {
	of := map[string]engine.Pin{}
	for path, pin := range pins {
		if path == id || strings.HasPrefix(path, id+"/") {
			of[path] = pin
		}
	}
	return of
}
