package doc

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// newNode returns a node of a type as it is born: what shows a value with room for it, a
// loop with a body to which only the work is to be added.
func (s *Specs) newNode(spec *node.Spec) workflow.Node {
	n := workflow.Node{Type: spec.Type}
	if spec.Shows.Port != "" {
		n.Size = &workflow.Size{W: cards.PaneWidth, H: cards.PaneHeight + 2*cards.HeaderHeight}
	}
	if spec.Loop != nil {
		n.Body = s.newBody(spec)
	}
	return n
}

// newBody returns the body that a container has at first. That of a loop over a list gives
// back each item until something is put between: it is valid, and shows what comes and
// goes. That of a loop that runs for as long as something holds has the output for that.
func (s *Specs) newBody(spec *node.Spec) *workflow.Definition {
	body := &workflow.Definition{Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
	if spec.Loop == nil || s.input == "" || s.output == "" {
		return body
	}
	const right, below = 3 * cards.MinWidth, 96.0
	add := func(typ, name, of string, at geom.Point) {
		config := map[string]any{"name": name}
		if of != "" {
			config["type"] = of
		}
		body.Nodes = append(body.Nodes, workflow.Node{ID: name, Type: typ, Config: config, Position: position(at)})
	}
	loop := spec.Loop
	if loop.Item != "" {
		add(s.input, loop.Item, "any", geom.Point{})
	}
	if loop.Index != "" {
		add(s.input, loop.Index, "int", geom.Point{Y: below})
	}
	if loop.While != "" {
		add(s.output, loop.While, "", geom.Point{X: right})
	}
	if loop.Item != "" {
		const result = "result"
		add(s.output, result, "", geom.Point{X: right})
		body.Connections = append(body.Connections, wire(
			cards.PortRef{Node: loop.Item, Port: boundaryPort, Output: true}, cards.PortRef{Node: result, Port: boundaryPort},
		))
	}
	return body
}
