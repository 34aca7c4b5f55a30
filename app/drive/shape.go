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

// Shape describes the nodes of a workflow by name, at any depth: what each does and where its
// inputs come from. A resumed run compares shapes to decide which outputs it can reuse. Labels,
// positions, timeouts and retries do not count.
type Shape map[string]shapedNode

type shapedNode struct {
	signature string
	sources   []string // ids of the nodes wired to it, in the same body
}

// callsWorkflow is the input of a container that names a stored workflow.
const callsWorkflow = "workflowId"

// ShapeOf returns the shape of a workflow. stored has the stored workflows that it calls.
func ShapeOf(def *workflow.Definition, stored map[string]*workflow.Definition) Shape {
	s := Shape{}
	s.add(def, stored, nil)
	return s
}

// add adds the nodes of def, inside containers, and returns a digest of them.
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

// Has reports whether a node has that name: its id, or "loop/fmt" for a node in a body.
func (s Shape) Has(name string) bool {
	_, ok := s[name]
	return ok
}

// Same reports whether both shapes have the same nodes.
func (s Shape) Same(o Shape) bool {
	return maps.EqualFunc(s, o, func(a, b shapedNode) bool { return a.signature == b.signature })
}

// behind returns the nodes that are called again if the named one is: itself, the nodes behind
// it, its containers and the nodes behind those. The value is true if that includes everything
// inside the node. The map is nil if there is no such node.
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
			again[at] = false // called again, but not everything inside
		}
	}
	return again
}

// isAgain reports whether a map of behind includes the named node.
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
