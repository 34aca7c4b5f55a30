package nodetest

import (
	"time"

	"github.com/svcflow/svc/engine/node"
)

// Fire returns the outputs of a trigger, by name, that is fired manually at a time without
// a payload. The engine would add the missing outputs. If the node cannot be bound, the
// error has the code of the first problem.
//
// Fire fails the test if the sample has an unknown output, or a value that is not of the
// output's type.
func (h *Host) Fire(typ string, config map[string]any, now time.Time) (map[string]any, error) {
	h.tb.Helper()
	b := h.bind(typ, config, nil, nil)
	if len(b.problems) > 0 {
		return nil, problemsError(b.problems)
	}
	return h.sample(b, now), nil
}

// Source returns the source that fires a trigger; nil if it has none.
func (h *Host) Source(typ string, config map[string]any) (node.Source, error) {
	h.tb.Helper()
	b := h.bind(typ, config, nil, nil)
	if len(b.problems) > 0 {
		return nil, problemsError(b.problems)
	}
	return b.Source, nil
}

func (h *Host) sample(b *binding, now time.Time) map[string]any {
	h.tb.Helper()
	if b.Sample == nil {
		return nil
	}
	outputs := b.Sample(now)
	known := map[string]bool{}
	for i := range b.Outputs {
		p := &b.Outputs[i]
		known[p.Name] = true
		if v, ok := outputs[p.Name]; ok {
			if err := conforms(v, p.Type); err != nil {
				h.tb.Errorf("%s, output %q of the sample: %v", b.spec.Type, p.Name, err)
			}
		}
	}
	for name := range outputs {
		if !known[name] {
			h.tb.Errorf("%s: the sample has an output %q, which the node has not", b.spec.Type, name)
		}
	}
	return outputs
}
