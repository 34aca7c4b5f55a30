package enginetest

import (
	"time"

	"github.com/svcflow/svc/engine/node"
)

// starting returns the node types that start a workflow.
func starting() []node.Node {
	inputs := []node.Port{literal("sample", "any", true)}
	note := output("note", "string")
	note.Optional = true
	return []node.Node{{
		Spec: node.Spec{
			Type: "test.trigger", Inline: true, Role: node.RoleTrigger, Inputs: inputs,
			Outputs: []node.Port{output("payload", "any"), output("at", "string"), output("count", "int"), output("list", "list<string>"), note},
		},
		Bind: bindTrigger,
	}}
}

func bindTrigger(b node.Binding) (node.Bound, []node.Problem) {
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: pass,
		Sample: func(now time.Time) map[string]any {
			return map[string]any{"payload": b.Config["sample"], "at": now.UTC().Format(time.DateOnly)}
		},
	}, nil
}
