package editor

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// BoundPorts returns a [Resolver] that asks the node types themselves, as the
// engine does when it compiles. Stored workflows are not looked up.
func BoundPorts(registry *node.Registry) Resolver {
	return func(n *workflow.Node, wired func(string) bool) (inputs, outputs []node.Port, ok bool) {
		made, ok := bindNode(registry, n, wired)
		return made.Inputs, made.Outputs, ok
	}
}

// WorkflowPorts returns what a workflow takes and gives, in document order, as far as
// its nodes are complete.
func WorkflowPorts(registry *node.Registry, def *workflow.Definition) (inputs, outputs []node.Port) {
	o := bodyPorts(registry, def)
	return o.inputs, o.outputs
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
	binding := node.Binding{Spec: &typ.Spec, Config: config, Wired: wired, Workflow: notStored}
	if n.Body != nil {
		binding.Body = bodyPorts(registry, n.Body)
	}
	made, problems := typ.Bind(binding)
	return made, len(problems) == 0
}

func notStored(string) (node.Body, []node.Problem) {
	return nil, []node.Problem{{Message: "the editor does not load stored workflows"}}
}

// outline stands for a body: it has its ports and cannot run.
type outline struct{ inputs, outputs []node.Port }

// bodyPorts collects the ports that a body gives its container.
func bodyPorts(registry *node.Registry, body *workflow.Definition) *outline {
	o := &outline{}
	for i := range body.Nodes {
		n := &body.Nodes[i]
		typ, ok := registry.Lookup(n.Type)
		if !ok || typ.Spec.Role == node.RoleStep || n.Disabled {
			continue
		}
		made, ok := bindNode(registry, n, func(string) bool { return true })
		switch {
		case !ok || made.Boundary == nil:
		case typ.Spec.Role == node.RoleInput:
			o.inputs = append(o.inputs, *made.Boundary)
		default:
			o.outputs = append(o.outputs, *made.Boundary)
		}
	}
	return o
}

func (o *outline) Inputs() []node.Port  { return o.inputs }
func (o *outline) Outputs() []node.Port { return o.outputs }

// Run implements node.Body.
func (o *outline) Run(context.Context, int, map[string]any) (map[string]any, error) {
	return nil, errors.New("an outline of a body cannot run")
}
