package enginetest

import (
	"strings"

	"github.com/svcflow/svc/engine/workflow"
)

// Flow builds a workflow in a few short lines:
//
//	NewFlow("greet").
//		Node("who", "test.input", "name", "who").
//		Node("up", "test.upper").
//		Wire("who.value", "up.text")
//
// Settings such as [Flow.Timeout] apply to the last added node.
type Flow struct{ def workflow.Definition }

// NewFlow returns a workflow without nodes.
func NewFlow(id string) *Flow { return &Flow{def: workflow.Definition{ID: id}} }

// Definition returns the workflow built so far.
func (f *Flow) Definition() *workflow.Definition { return &f.def }

// Node adds a node with the given config: alternating names and values.
func (f *Flow) Node(id, typ string, config ...any) *Flow {
	n := workflow.Node{ID: id, Type: typ}
	for i := 0; i < len(config); i += 2 {
		if n.Config == nil {
			n.Config = map[string]any{}
		}
		n.Config[config[i].(string)] = config[i+1]
	}
	f.def.Nodes = append(f.def.Nodes, n)
	return f
}

// Wire connects two ports, each written as "node.port".
func (f *Flow) Wire(from, to string) *Flow {
	var c workflow.Connection
	c.FromNodeID, c.FromPort, _ = strings.Cut(from, ".")
	c.ToNodeID, c.ToPort, _ = strings.Cut(to, ".")
	f.def.Connections = append(f.def.Connections, c)
	return f
}

// Timeout sets the timeout of the last node.
func (f *Flow) Timeout(ms int) *Flow {
	f.last().TimeoutMs = ms
	return f
}

// Retry sets the maximum number of attempts of the last node, with default pauses.
func (f *Flow) Retry(attempts int) *Flow {
	f.last().Retry = &workflow.Retry{MaxAttempts: attempts}
	return f
}

// Disabled disables the last node.
func (f *Flow) Disabled() *Flow {
	f.last().Disabled = true
	return f
}

// Body sets the body of the last node.
func (f *Flow) Body(body *Flow) *Flow {
	f.last().Body = &body.def
	return f
}

func (f *Flow) last() *workflow.Node { return &f.def.Nodes[len(f.def.Nodes)-1] }
