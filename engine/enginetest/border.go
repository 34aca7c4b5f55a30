package enginetest

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// bordering returns the node types that declare inputs and outputs of a workflow.
func bordering() []node.Node {
	required := literal("required", "bool", true)
	required.Default = false
	typ := literal("type", "string", false)
	typ.Default = "any"
	inputs := []node.Port{literal("name", "string", false), typ, literal("default", "any", true), required}
	return []node.Node{
		{Spec: node.Spec{Type: "test.input", Inline: true, Role: node.RoleInput, Inputs: inputs}, Bind: bindInput},
		{
			Spec: node.Spec{Type: "test.output", Inline: true, Role: node.RoleOutput, Inputs: []node.Port{
				literal("name", "string", false), input("value", "any", false),
			}},
			Bind: bindOutput,
		},
	}
}

func bindInput(b node.Binding) (node.Bound, []node.Problem) {
	name, _ := b.Config["name"].(string)
	required, _ := b.Config["required"].(bool)
	typeText, _ := b.Config["type"].(string)
	t, err := value.ParseType(typeText)
	if err != nil {
		return node.Bound{}, []node.Problem{node.Invalid("type", "%v", err)}
	}
	preset, err := presetOf(b.Config, t)
	if err != nil {
		return node.Bound{}, []node.Problem{node.Invalid("default", "%v", err)}
	}
	if preset == nil && !required {
		t = t.OrNull()
	}
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: []node.Port{{Name: "value", Type: t}}, Call: pass,
		Boundary: &node.Port{Name: name, Type: t, Default: preset, Optional: !required},
	}, nil
}

func presetOf(config map[string]any, t value.Type) (any, error) {
	given, ok := config["default"]
	if !ok || given == nil {
		return nil, nil
	}
	return value.Conform(given, t)
}

func bindOutput(b node.Binding) (node.Bound, []node.Problem) {
	name, _ := b.Config["name"].(string)
	return node.Bound{Inputs: b.Spec.Inputs, Call: pass, Boundary: &node.Port{Name: name}}, nil
}
