package control

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The codes of problems of a body.
const (
	codeInvalidBody     = "invalid_body"
	codeUnknownWorkflow = "unknown_workflow"
)

// noBody is the problem of a container without a body.
func noBody() []node.Problem {
	return []node.Problem{{
		Code: codeInvalidBody, Message: "there is no body to run",
		Hint: "put nodes inside this one",
	}}
}

// container combines the ports of a container with those of its body.
type container struct {
	spec     *node.Spec
	body     node.Body
	inputs   []node.Port // the container's own, then the body's
	outputs  []node.Port // the body's, then the container's own
	names    []string    // of the body's outputs, by slot
	problems []node.Problem
}

// enclose begins a container with its own inputs.
func enclose(spec *node.Spec, body node.Body) *container {
	return &container{spec: spec, body: body, inputs: slices.Clone(spec.Inputs)}
}

// addInputs adds a port for each of the body's inputs, except those that the
// container feeds itself.
func (c *container) addInputs(except ...string) {
	for _, p := range c.body.Inputs() {
		if slices.Contains(except, p.Name) {
			continue
		}
		c.checkClash("input", p.Name, c.spec.Inputs)
		if p.Description == "" {
			p.Description = "Input of the body."
		}
		c.inputs = append(c.inputs, p)
	}
}

// addOutputs adds a port for each of the body's outputs, except those that the
// container reads itself, and then its own. typ gives an output's type outside.
func (c *container) addOutputs(typ func(value.Type) value.Type, except ...string) {
	for _, p := range c.body.Outputs() {
		if slices.Contains(except, p.Name) {
			continue
		}
		c.checkClash("output", p.Name, append(slices.Clone(c.spec.Outputs), node.Port{Name: node.ErrorPort}))
		c.outputs = append(c.outputs, node.Port{Name: p.Name, Type: typ(p.Type), Description: "Output of the body."})
		c.names = append(c.names, p.Name)
	}
	c.outputs = append(c.outputs, c.spec.Outputs...)
}

// checkClash reports a port of the body that is called like one of the
// container's own.
func (c *container) checkClash(side, name string, own []node.Port) {
	if findPort(own, name) != nil {
		c.problems = append(c.problems, node.Problem{
			Port: name, Message: fmt.Sprintf("the body has an %s %q, and so has %s itself", side, name, c.spec.Type),
			Hint: "rename it inside the body",
		})
	}
}

// misfit reports that this container cannot run its body.
func (c *container) misfit(message, hint string) {
	c.problems = append(c.problems, node.Problem{Code: codeInvalidBody, Message: message, Hint: hint})
}

// bound returns the node, called by call.
func (c *container) bound(call node.Call) (node.Bound, []node.Problem) {
	return node.Bound{Inputs: c.inputs, Outputs: c.outputs, Call: call}, c.problems
}

// given returns the body's inputs that have a value, with capacity for more.
func (c *container) given(in []any) map[string]any {
	own := len(c.spec.Inputs)
	inputs := make(map[string]any, len(in)-own+2)
	for i := own; i < len(in); i++ {
		if node.Present(in[i]) {
			inputs[c.inputs[i].Name] = in[i]
		}
	}
	return inputs
}

// emit puts a body's outputs into their slots; those it did not emit stay as they
// are.
func (c *container) emit(outputs map[string]any, out []any) {
	for i, name := range c.names {
		if v, ok := outputs[name]; ok {
			out[i] = v
		}
	}
}

// findPort returns the port with a name, or nil.
func findPort(ports []node.Port, name string) *node.Port {
	i := slices.IndexFunc(ports, func(p node.Port) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &ports[i]
}

// located prefixes err with the place where a body failed. It keeps code and permanence.
func located(place string, err error) error {
	return &node.Error{Code: node.CodeOf(err), Message: place + ": " + err.Error(), Permanent: node.IsPermanent(err), Err: err}
}

// sameType is for containers that pass a body's outputs on unchanged.
func sameType(t value.Type) value.Type { return t }

// checkRange reports a config value of port that is outside of [low, high].
func checkRange(b node.Binding, port string, low, high int) []node.Problem {
	if n, ok := b.Config[port].(int); ok && (n < low || n > high) {
		return []node.Problem{node.Invalid(port, "%s is a number from %d to %d", port, low, high)}
	}
	return nil
}

// inRange is checkRange for values that arrive by wire.
func inRange(port string, n, low, high int) error {
	if n < low || n > high {
		return node.Errorf(node.CodeInvalidInput, "%s is %d; use a number from %d to %d", port, n, low, high)
	}
	return nil
}
