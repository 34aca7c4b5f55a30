package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/node"
)

// CheckInputs returns what is wrong with the values that a run of p would be
// given; nothing means that they will do.
func (p *Plan) CheckInputs(given map[string]any) ValidationErrors {
	_, problems := p.takeInputs(given)
	return problems
}

// takeInputs gives each input of the workflow its value, as bindInputs does, from
// values that come from outside the engine and may be anything.
func (p *Plan) takeInputs(given map[string]any) ([]any, ValidationErrors) {
	values, problems := p.bindInputs(given, (*node.Port).Accept)
	known := map[string]bool{}
	for i := range p.face.inputs {
		known[p.face.inputs[i].port.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if known[name] {
			continue
		}
		hint := "it takes none"
		if len(p.face.inputs) > 0 {
			hint = "it takes " + listed(len(p.face.inputs), func(i int) string { return p.face.inputs[i].port.Name })
		}
		problems = append(problems, &ValidationError{
			Code: CodeUnknownInput, Port: name, Message: fmt.Sprintf("the workflow has no input %q", name), Hint: hint,
		})
	}
	return values, problems
}

// bindInputs gives each input of the workflow its value: what is given, made to
// fit, else the default, else null.
func (p *Plan) bindInputs(given map[string]any, fit func(*node.Port, any) (any, error)) ([]any, ValidationErrors) {
	var problems ValidationErrors
	values := make([]any, len(p.face.inputs))
	for i := range p.face.inputs {
		port := &p.face.inputs[i].port
		v, ok := given[port.Name]
		switch {
		case ok:
			fitting, err := fit(port, v)
			if err != nil {
				problems = append(problems, p.inputProblem(i, CodeTypeError, fmt.Sprintf("input %q: %v", port.Name, err)))
			}
			values[i] = fitting
		case port.Required():
			problems = append(problems, p.inputProblem(i, CodeMissingInput, fmt.Sprintf("the required input %q is not given", port.Name)))
		default:
			values[i] = port.Default
		}
	}
	return values, problems
}

func (p *Plan) inputProblem(i int, code, message string) *ValidationError {
	b := &p.face.inputs[i]
	return &ValidationError{
		Code: code, NodeID: p.nodes[b.node].id, Port: b.port.Name, Message: message,
		Hint: "give a value of type " + typeName(b.port.Type),
	}
}

// conformPort makes the value v one of the port's type.
func conformPort(port *node.Port, v any) (any, error) { return port.Conform(port.Type, v) }
