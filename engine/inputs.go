package engine

import (
	"fmt"

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
	values, wrong := p.bindInputs(given, (*node.Port).Accept)
	known := 0
	for i := range p.face.inputs {
		if _, ok := given[p.face.inputs[i].port.Name]; ok {
			known++
		}
	}
	if known < len(given) {
		p.findUnknown(given, &wrong)
	}
	return values, wrong.sorted()
}

// findUnknown adds what is given and no input of the workflow.
func (p *Plan) findUnknown(given map[string]any, wrong *problems) {
	inputs := p.face.inputs
	known := make(map[string]bool, len(inputs))
	for i := range inputs {
		known[inputs[i].port.Name] = true
	}
	hint := "it takes none"
	if len(inputs) > 0 {
		hint = "it takes " + listed(len(inputs), func(i int) string { return inputs[i].port.Name })
	}
	names, more := unknown(given, func(name string) bool { return known[name] })
	for _, name := range names {
		wrong.add(len(inputs), &ValidationError{
			Code: CodeUnknownInput, Port: name, Message: fmt.Sprintf("the workflow has no input %q", brief(name)), Hint: hint,
		})
	}
	wrong.more += more
}

// bindInputs gives each input of the workflow its value: what is given, made to
// fit, else the default, else null.
func (p *Plan) bindInputs(given map[string]any, fit func(*node.Port, any) (any, error)) ([]any, problems) {
	var wrong problems
	values := make([]any, len(p.face.inputs))
	for i := range p.face.inputs {
		port := &p.face.inputs[i].port
		v, ok := given[port.Name]
		switch {
		case ok:
			fitting, err := fit(port, v)
			if err != nil {
				wrong.add(i, p.inputProblem(i, CodeTypeError, fmt.Sprintf("input %q: %v", brief(port.Name), err)))
			}
			values[i] = fitting
		case port.Required():
			wrong.add(i, p.inputProblem(i, CodeMissingInput, fmt.Sprintf("the required input %q is not given", brief(port.Name))))
		default:
			values[i] = port.Default
		}
	}
	return values, wrong
}

func (p *Plan) inputProblem(i int, code, message string) *ValidationError {
	b := &p.face.inputs[i]
	return &ValidationError{
		Code: code, NodeID: p.nodes[b.node].id, Port: b.port.Name, Message: message,
		Hint: "give a value of type " + b.port.Type.Brief(),
	}
}

// conformPort makes the value v one of the port's type.
func conformPort(port *node.Port, v any) (any, error) { return port.Conform(port.Type, v) }
