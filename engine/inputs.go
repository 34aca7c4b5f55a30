package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// takeInputs gives each input of the workflow its value, as bindInputs does, from
// values that come from outside the engine and may be anything.
func (p *Plan) takeInputs(given map[string]any) ([]any, ValidationErrors) {
	values, problems := p.bindInputs(given, accept)
	known := map[string]bool{}
	for i := range p.inputs {
		known[p.inputs[i].port.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if known[name] {
			continue
		}
		hint := "it takes none"
		if len(p.inputs) > 0 {
			hint = "it takes " + listed(len(p.inputs), func(i int) string { return p.inputs[i].port.Name })
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
	values := make([]any, len(p.inputs))
	for i := range p.inputs {
		port := &p.inputs[i].port
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
	b := &p.inputs[i]
	return &ValidationError{
		Code: code, NodeID: p.nodes[b.node].id, Port: b.port.Name, Message: message,
		Hint: "give a value of type " + typeName(b.port.Type),
	}
}

// accept makes v, which may be anything, a value of the port's type.
func accept(port *node.Port, v any) (any, error) {
	if err := value.Check(v); err != nil {
		return nil, err
	}
	return conformPort(port, v)
}

// conformPort makes the value v one of the port's type.
func conformPort(port *node.Port, v any) (any, error) { return conform(port, port.Type, v) }

// conform makes v a value of type t, which is the port's or its element's. A
// credential has to be of one of the port's networks.
func conform(port *node.Port, t value.Type, v any) (any, error) {
	v, err := value.Conform(v, t)
	if err == nil && len(port.Networks) > 0 {
		err = checkNetworks(port.Networks, v)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// checkNetworks never repeats the reference it refuses: it may be a secret in the
// wrong place.
func checkNetworks(networks []string, v any) error {
	switch v := v.(type) {
	case value.Credential:
		if !slices.Contains(networks, v.Network()) {
			return errors.New("the credential has to be of " + strings.Join(networks, " or "))
		}
	case []any:
		for _, e := range v {
			if err := checkNetworks(networks, e); err != nil {
				return err
			}
		}
	}
	return nil
}
