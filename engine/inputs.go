package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// CheckInputs returns the problems of the inputs for a run of p; none means that they are
// valid.
func (p *Plan) CheckInputs(given map[string]any) ValidationErrors {
	_, problems := p.takeInputs(given)
	return problems
}

// takeInputs binds values from outside the engine, which may be of any type, to the inputs
// of the workflow. It also reports unknown inputs.
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

// findUnknown reports given values for which the workflow has no input.
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

// bindInputs returns a value for each input of the workflow: the given one, converted by
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

// conformPort converts v to the port's type.
func conformPort(port *node.Port, v any) (any, error) { return port.Conform(port.Type, v) }

// gather fills in with the inputs of node i. heavy reports whether handling them may take
// long.
func (x *execution) gather(ctx context.Context, i int32, in []any) (heavy bool, err error) {
	if x.bringsMuch(i) {
		defer x.turn(ctx)()
	}
	g := &x.plan.graph
	for k := range in {
		slot := g.inLo[i] + int32(k)
		lo, hi := g.wireLo[slot], g.wireLo[slot+1]
		s := &x.plan.slots[slot]
		switch {
		case lo == hi:
			in[k] = s.value
		case s.fan == fanSingle:
			in[k], err = x.single(i, slot, lo)
		default:
			in[k], err = x.fanIn(i, slot, lo, hi)
		}
		if err != nil {
			return false, err
		}
		heavy = heavy || large(in[k])
	}
	return heavy, nil
}

// bringsMuch reports whether x needs a CPU slot to check what the wires to node i bring.
func (x *execution) bringsMuch(i int32) bool {
	g := &x.plan.graph
	wires := g.wires[g.wireLo[g.inLo[i]]:g.wireLo[g.inLo[i+1]]]
	return x.worker == nil && slices.ContainsFunc(wires, func(o int32) bool { return huge(x.values[o]) })
}

// turn waits for a CPU slot, so that x can work on a large value between nodes. done
// releases it. Executions that have a worker slot do not need it. If ctx ends, x continues
// without one.
func (x *execution) turn(ctx context.Context) (done func()) {
	l := x.local.Processors.Slot()
	_ = l.Acquire(ctx)
	return l.Release
}

// single returns the value of the one wire into slot.
func (x *execution) single(i, slot, wire int32) (any, error) {
	v := x.brought(x.plan.graph.wires[wire])
	switch {
	case !node.Present(v), !x.plan.checks[wire]: // absent only at a partial port
		return v, nil
	}
	port := x.plan.port(i, slot)
	return conformInput(port, port.Type, v)
}

// fanIn collects the values of the wires into a list port.
func (x *execution) fanIn(i, slot, lo, hi int32) (any, error) {
	port := x.plan.port(i, slot)
	wraps := x.plan.slots[slot].fan == fanWrap
	items := make([]any, 0, hi-lo)
	for wire := lo; wire < hi; wire++ {
		v := x.brought(x.plan.graph.wires[wire])
		if !node.Present(v) {
			continue
		}
		if _, isList := v.([]any); wraps && (isList || v == nil && port.Type.Nullable()) {
			return conformInput(port, port.Type, v)
		}
		if wraps && v == nil {
			return []any{}, nil // null is no list with one item
		}
		if x.plan.checks[wire] {
			var err error
			if v, err = port.Conform(port.Type.Elem(), v); err != nil {
				return nil, node.Errorf(node.CodeTypeError, "input %q: item %d, which comes from %s: %w",
					port.Name, wire-lo, x.plan.outputName(x.plan.graph.wires[wire]), err)
			}
		}
		items = append(items, v)
	}
	if len(items) == 0 {
		return node.Absent{}, nil // another partial port is fed
	}
	if err := value.Bound(items); err != nil {
		return nil, node.Permanent(node.Errorf(node.CodeLimitExceeded, "input %q: %w", port.Name, err))
	}
	return items, nil
}

func conformInput(port *node.Port, t value.Type, v any) (any, error) {
	v, err := port.Conform(t, v)
	if err != nil {
		return nil, node.Errorf(node.CodeTypeError, "input %q: %w", port.Name, err)
	}
	return v, nil
}

// largeText and largeList are the sizes, in bytes and items, above which an inline node
// runs on a separate goroutine, because handling larger values is slow.
const (
	largeText = 64 << 10
	largeList = 1 << 10
)

// hugeList is the number of items above which checking and measuring a value between nodes
// takes so long that it needs a CPU slot.
const hugeList = 64 << 10

// huge reports whether visiting all of v takes long. Strings do not count: only their
// length matters.
func huge(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > hugeList
	case map[string]any:
		return len(v) > hugeList
	}
	return false
}

// large reports whether handling v may take long.
func large(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) > largeText
	case []any:
		return len(v) > largeList
	case map[string]any:
		return len(v) > largeList
	}
	return false
}
