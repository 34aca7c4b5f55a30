package engine

import (
	"fmt"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Interface is what a workflow takes and gives, in document order: the ports that its
// nodes with a role stand for. The zero Interface takes and gives nothing.
type Interface struct{ inputs, outputs []boundary }

// boundary is one input or output of the workflow and the node that stands for it.
type boundary struct {
	port node.Port
	node int32
}

// NewInterface collects what def takes and gives. stands tells the role of the node at
// place i and the port that it stands for; nil if it stands for none. A disabled node
// stands for nothing. Of two nodes that stand for the same the first counts, and twice has
// the places of the others.
func NewInterface(def *workflow.Definition, stands func(i int) (node.Role, *node.Port)) (f Interface, twice []int) {
	seen := map[node.Role]map[string]bool{node.RoleInput: {}, node.RoleOutput: {}}
	for i := range def.Nodes {
		if def.Nodes[i].Disabled {
			continue
		}
		role, port := stands(i)
		switch names := seen[role]; {
		case port == nil || names == nil:
			continue
		case names[port.Name]:
			twice = append(twice, i)
			continue
		default:
			names[port.Name] = true
		}
		if role == node.RoleInput {
			f.inputs = append(f.inputs, boundary{*port, int32(i)})
		} else {
			f.outputs = append(f.outputs, boundary{*port, int32(i)})
		}
	}
	return f, twice
}

// Inputs returns what the workflow takes. The caller may change the list.
func (f *Interface) Inputs() []node.Port { return ports(f.inputs) }

// Outputs returns what the workflow gives. The caller may change the list.
func (f *Interface) Outputs() []node.Port { return ports(f.outputs) }

func ports(bs []boundary) []node.Port {
	ports := make([]node.Port, len(bs))
	for i := range bs {
		ports[i] = bs[i].port
	}
	return ports
}

// findInterface collects the nodes that stand for inputs and outputs.
func (l *level) findInterface() {
	face, twice := NewInterface(l.def, func(i int) (node.Role, *node.Port) {
		n := &l.plan.nodes[i]
		if n.binding != bound {
			return node.RoleStep, nil
		}
		return n.role, n.stands
	})
	for _, side := range [][]boundary{face.inputs, face.outputs} {
		for k := range side {
			l.plan.nodes[side[k].node].boundary = int32(k)
		}
	}
	for _, i := range twice {
		n := &l.plan.nodes[i]
		l.report(int32(i), duplicateBoundary(n.role, n.stands.Name))
	}
	l.plan.face = face
}

func duplicateBoundary(role node.Role, name string) ValidationError {
	code, word := CodeDuplicateWorkflowInput, "input"
	if role == node.RoleOutput {
		code, word = CodeDuplicateWorkflowOutput, "output"
	}
	return ValidationError{
		Code: code, Port: "name", Message: fmt.Sprintf("two nodes stand for the workflow's %s %q", word, brief(name)), Hint: "rename one of them",
	}
}
