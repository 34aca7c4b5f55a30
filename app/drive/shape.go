package drive

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Shape is what a run has to know of a workflow to take over what another has done: of
// each node by name, at any depth, what it does and where its inputs come from. Labels,
// places, timeouts and retries do not count.
type Shape map[string]shapedNode

type shapedNode struct {
	signature string
	sources   []string // ids of the nodes beside it whose wires lead to it
}

// callsWorkflow is the input of a container that names a stored workflow.
const callsWorkflow = "workflowId"

// ShapeOf returns the shape of a workflow that calls those stored ones.
func ShapeOf(def *workflow.Definition, stored map[string]*workflow.Definition) Shape {
	s := Shape{}
	s.add(def, stored, nil)
	return s
}

// add adds the nodes of def, which stands inside containers, and returns what they do.
func (s Shape) add(def *workflow.Definition, stored map[string]*workflow.Definition, containers []string) string {
	var all strings.Builder
	into := map[string][]*workflow.Connection{}
	for i := range def.Connections {
		c := &def.Connections[i]
		into[c.ToNodeID] = append(into[c.ToNodeID], c)
	}
	for i := range def.Nodes {
		n := &def.Nodes[i]
		name := fold.Join(containers, n.ID)
		signature := map[string]any{"type": n.Type, "config": n.Config, "disabled": n.Disabled, "body": "", "wires": ""}
		body := n.Body
		if id, ok := n.Config[callsWorkflow].(string); ok && body == nil {
			body = stored[id]
		}
		if body != nil && len(containers) < limit.Bodies {
			signature["body"] = s.add(body, stored, append(slices.Clip(containers), n.ID))
		}
		var wires strings.Builder
		var sources []string
		for _, c := range into[n.ID] {
			wires.WriteString(c.FromNodeID + "." + c.FromPort + ">" + c.ToPort + ";")
			sources = append(sources, c.FromNodeID)
		}
		signature["wires"] = wires.String()
		sum := sha256.Sum256(value.Append(nil, signature))
		s[name] = shapedNode{string(sum[:]), sources}
		all.WriteString(n.ID + string(sum[:]))
	}
	sum := sha256.Sum256([]byte(all.String()))
	return string(sum[:])
}

// Has reports whether a node has that name: its id, or in a body "loop/fmt".
func (s Shape) Has(name string) bool {
	_, ok := s[name]
	return ok
}

// Same reports whether all nodes are there and do the same.
func (s Shape) Same(o Shape) bool {
	return maps.EqualFunc(s, o, func(a, b shapedNode) bool { return a.signature == b.signature })
}

// behind returns the nodes that are called again if the one of that name is: it, what
// lies behind it, the containers around it and what lies behind them. Of true ones, so is
// everything inside. It is nil if there is no such node.
func (s Shape) behind(name string) map[string]bool {
	if !s.Has(name) {
		return nil
	}
	next := map[string][]string{} // wires by their source
	for target, n := range s {
		containers, _ := fold.Split(target)
		for _, id := range n.sources {
			source := fold.Join(containers, id)
			next[source] = append(next[source], target)
		}
	}
	again := map[string]bool{}
	var spread func(name string)
	spread = func(name string) {
		if !again[name] {
			again[name] = true
			for _, target := range next[name] {
				spread(target)
			}
		}
	}
	spread(name)
	for at := fold.Container(name); at != ""; at = fold.Container(at) {
		for _, target := range next[at] {
			spread(target)
		}
		if _, known := again[at]; !known {
			again[at] = false // called again, yet not all that is inside
		}
	}
	return again
}

// isAgain reports whether the node of a name is among those of behind.
func isAgain(again map[string]bool, name string) bool {
	if _, ok := again[name]; ok {
		return true
	}
	for at := fold.Container(name); at != ""; at = fold.Container(at) {
		if again[at] {
			return true
		}
	}
	return false
}
