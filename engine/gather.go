package engine

import (
	"context"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// gather fills in with the inputs of node i. heavy says that handling them may
// take long.
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

// bringsMuch reports whether x needs a turn to look at what the wires to node i bring.
func (x *execution) bringsMuch(i int32) bool {
	g := &x.plan.graph
	wires := g.wires[g.wireLo[g.inLo[i]]:g.wireLo[g.inLo[i+1]]]
	return x.worker == nil && slices.ContainsFunc(wires, func(o int32) bool { return huge(x.values[o]) })
}

// turn waits until it is the turn of x to work on something large by itself, as nodes that
// compute do; done ends it. Who has a worker's place needs none, and one that is cancelled
// goes on without.
func (x *execution) turn(ctx context.Context) (done func()) {
	l := x.local.Processors.Slot()
	_ = l.Acquire(ctx)
	return l.Release
}

// single returns what the one wire into slot brings.
func (x *execution) single(i, slot, wire int32) (any, error) {
	v := x.brought(x.plan.graph.wires[wire])
	switch {
	case !node.Present(v), !x.plan.checks[wire]: // absent only at a partial port
		return v, nil
	}
	port := x.plan.port(i, slot)
	return conformInput(port, port.Type, v)
}

// fanIn collects what the wires into a list port bring.
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

// largeText and largeList are the sizes from which on an inline node gets a
// goroutine of its own: handling more is no longer short.
const (
	largeText = 64 << 10
	largeList = 1 << 10
)

// hugeList is from how many items on what a run does between its nodes, to check and to weigh
// what they bring, takes so long that it needs a place.
const hugeList = 64 << 10

// huge reports whether to look at all of v takes long. A text is only measured.
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
