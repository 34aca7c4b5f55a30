package nodetest

import (
	"time"

	"github.com/svcflow/svc/engine/node"
)

// Fire returns what a trigger puts out, by output, when somebody lets it fire by hand at
// a time and gives no payload; an engine fills in the outputs that are not there. What
// keeps the node from being bound is an error with the first problem's code.
//
// Fire fails the test if the sample has an output that the node lacks, or a value that is
// none of the output's type.
func (h *Host) Fire(typ string, config map[string]any, now time.Time) (map[string]any, error) {
	h.tb.Helper()
	b := h.bind(typ, config, nil, nil)
	if len(b.problems) > 0 {
		return nil, problemsError(b.problems)
	}
	return h.sample(b, now), nil
}

// Source returns what makes a trigger fire by itself; nil if nothing does.
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
