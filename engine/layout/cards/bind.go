package cards

import (
	"context"
	"errors"
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Resolver returns the ports of a node whose ports depend on its config or body. wired
// reports whether a wire leads into the named input. ok is false if the resolver does not
// know the ports or the node is incomplete; then the ports of its spec apply. See
// [BoundPorts].
type Resolver func(n *workflow.Node, wired func(port string) bool) (inputs, outputs []node.Port, ok bool)

// BoundPorts returns a [Resolver] that calls the Bind functions of node types, as the
// engine does when it compiles. It does not look up stored workflows.
func BoundPorts(registry *node.Registry) Resolver {
	return func(n *workflow.Node, wired func(string) bool) (inputs, outputs []node.Port, ok bool) {
		made, ok := bindNode(registry, n, wired)
		return made.Inputs, made.Outputs, ok
	}
}

// Acts reports whether a second call of a node of level may repeat a side effect, according
// to its type, its config and its body. It returns true if that is unknown.
func Acts(registry *node.Registry, level *workflow.Definition, n *workflow.Node) bool {
	typ, ok := registry.Lookup(n.Type)
	if !ok {
		return true
	}
	if typ.Spec.Container {
		if n.Body == nil {
			return true
		}
		for i := range n.Body.Nodes {
			if inner := &n.Body.Nodes[i]; Acts(registry, n.Body, inner) && !boundary(registry, inner) {
				return true
			}
		}
	}
	made, ok := bindNode(registry, n, func(port string) bool {
		return slices.ContainsFunc(level.Connections, func(c workflow.Connection) bool { return c.ToNodeID == n.ID && c.ToPort == port })
	})
	return !ok || typ.Spec.Once || made.Once
}

// boundary reports whether a node has a role, such as declaring an input or output.
func boundary(registry *node.Registry, n *workflow.Node) bool {
	typ, ok := registry.Lookup(n.Type)
	return ok && typ.Spec.Role != node.RoleStep
}

// WorkflowPorts returns the inputs and outputs of a workflow, in document order. Incomplete
// nodes are left out.
func WorkflowPorts(registry *node.Registry, def *workflow.Definition) (inputs, outputs []node.Port) {
	o := bodyPorts(registry, def)
	return o.Inputs(), o.Outputs()
}

func bindNode(registry *node.Registry, n *workflow.Node, wired func(string) bool) (node.Bound, bool) {
	typ, ok := registry.Lookup(n.Type)
	if !ok {
		return node.Bound{}, false
	}
	config := typ.Spec.Literals(n.Config, func(*node.Port, error) { ok = false })
	if !ok {
		return node.Bound{}, false
	}
	binding := node.Binding{Spec: &typ.Spec, Config: config, Wired: wired, WiredOutput: unread, Workflow: notStored}
	if n.Body != nil {
		binding.Body = bodyPorts(registry, n.Body)
	}
	made, problems := typ.Bind(binding)
	return made, len(problems) == 0
}

// unread is the WiredOutput function for binding. Ports do not depend on it.
func unread(string) bool { return false }

func notStored(string) (node.Body, []node.Problem) {
	return nil, []node.Problem{{Message: "stored workflows are not looked up"}}
}

// outline is a body that has ports but cannot run.
type outline struct{ engine.Interface }

// bodyPorts collects the ports that a body gives its container.
func bodyPorts(registry *node.Registry, body *workflow.Definition) *outline {
	face, _ := engine.NewInterface(body, func(i int) (node.Role, *node.Port) {
		n := &body.Nodes[i]
		typ, ok := registry.Lookup(n.Type)
		if !ok || typ.Spec.Role == node.RoleStep {
			return node.RoleStep, nil
		}
		made, ok := bindNode(registry, n, func(string) bool { return true })
		if !ok {
			return node.RoleStep, nil
		}
		return typ.Spec.Role, made.Boundary
	})
	return &outline{face}
}

// Run implements node.Body.
func (o *outline) Run(context.Context, int, map[string]any) (map[string]any, error) {
	return nil, errors.New("an outline of a body cannot run")
}
