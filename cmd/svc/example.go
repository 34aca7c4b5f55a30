package main

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// example makes a workflow that shows what a node type does: the node of its spec's
// example, and an output of the workflow for each of its own. types are all there are.
func example(s *node.Spec, types []*node.Spec) (*workflow.Definition, error) {
	i := slices.IndexFunc(types, func(t *node.Spec) bool { return t.Role == node.RoleOutput })
	if i < 0 {
		return nil, fmt.Errorf("no node type stands for an output of the workflow")
	}
	def := &workflow.Definition{
		ID: "example", Name: s.Label, Connections: []workflow.Connection{},
		Nodes: []workflow.Node{{ID: "node", Type: s.Type, Config: s.Example.Config, Position: &workflow.Position{}}},
	}
	names, err := exampleBody(s, types[i].Type, &def.Nodes[0])
	if err != nil {
		return nil, fmt.Errorf("the example of %s: %w", s.Type, err)
	}
	for _, p := range s.Outputs {
		names = append(names, p.Name)
	}
	for k, name := range names {
		id := "out-" + name
		def.Nodes = append(def.Nodes, workflow.Node{
			ID: id, Type: types[i].Type, Config: map[string]any{"name": name},
			Position: &workflow.Position{X: 320, Y: float64(160 * k)},
		})
		def.Connections = append(def.Connections, workflow.Connection{FromNodeID: "node", FromPort: name, ToNodeID: id, ToPort: "value"})
	}
	return def, nil
}

// exampleBody puts the body of s's example into n and returns the names of the outputs
// that it has for the workflow around it. output is the type of nodes that stand for
// them.
func exampleBody(s *node.Spec, output string, n *workflow.Node) (names []string, err error) {
	if s.Example.Body == nil {
		return nil, nil
	}
	// A body may be without an id, unlike a document.
	text := append([]byte(`{"id":"","nodes":[{"id":"n","type":"t","body":`), value.Append(nil, s.Example.Body)...)
	around, err := workflow.Decode(append(text, `}],"connections":[]}`...), workflow.DefaultLimits())
	if err != nil {
		return nil, err
	}
	n.Body = around.Nodes[0].Body
	for _, inner := range n.Body.Nodes {
		name, _ := inner.Config["name"].(string)
		wired := slices.ContainsFunc(n.Body.Connections, func(c workflow.Connection) bool { return c.ToNodeID == inner.ID })
		if inner.Type == output && wired && (s.Loop == nil || name != s.Loop.While) { // what never changes shows nothing
			names = append(names, name)
		}
	}
	return names, nil
}
