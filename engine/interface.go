package engine

import (
	"fmt"

	"github.com/svcflow/svc/engine/node"
)

// findInterface collects the nodes that stand for inputs and outputs.
func (l *level) findInterface() {
	seen := map[node.Role]map[string]bool{node.RoleInput: {}, node.RoleOutput: {}}
	for i := range l.plan.nodes {
		n := &l.plan.nodes[i]
		if n.binding != bound || n.stands == nil || l.def.Nodes[i].Disabled {
			continue
		}
		name := n.stands.Name
		if seen[n.role][name] {
			l.report(int32(i), duplicateBoundary(n.role, name))
			continue
		}
		seen[n.role][name] = true
		if n.role == node.RoleInput {
			n.boundary = int32(len(l.plan.inputs))
			l.plan.inputs = append(l.plan.inputs, boundary{*n.stands, int32(i)})
		} else {
			n.boundary = int32(len(l.plan.outputs))
			l.plan.outputs = append(l.plan.outputs, boundary{*n.stands, int32(i)})
		}
	}
}

func duplicateBoundary(role node.Role, name string) ValidationError {
	code, word := CodeDuplicateWorkflowInput, "input"
	if role == node.RoleOutput {
		code, word = CodeDuplicateWorkflowOutput, "output"
	}
	return ValidationError{
		Code: code, Port: "name", Message: fmt.Sprintf("two nodes stand for the workflow's %s %q", word, name), Hint: "rename one of them",
	}
}
