package engine

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// takeOver ends node i with what it put out in an earlier run, if there was one
// and its outputs still fit the ports: media that nobody has made yet only where it would be
// put out now, too. The node is not called.
func (x *execution) takeOver(i int32) bool {
	recorded, ok := x.reuse(x.pathOf(i))
	if !ok {
		return false
	}
	out, ok := x.fitting(i, recorded)
	if !ok {
		return false
	}
	copy(x.values[x.plan.graph.outLo[i]:], out)
	x.nodes[i].reused = true
	x.now = x.since()
	x.end(i, nil)
	return true
}

// fitting returns what node i put out when it was called before, by output, if that still
// fits its ports.
func (x *execution) fitting(i int32, recorded map[string]any) (out []any, ok bool) {
	n, lo := &x.plan.nodes[i], x.plan.graph.outLo[i]
	out = make([]any, len(n.outputs))
	absent(out)
	for k := range n.outputs {
		v, emitted := recorded[n.outputs[k].Name]
		if !emitted {
			continue
		}
		v, err := n.outputs[k].Accept(v)
		if err != nil || value.Deferred(v) && !x.plan.takesDeferred(lo+int32(k)) {
			return nil, false
		}
		out[k] = v
	}
	return out, true
}

// outcomeUnknown is the failure of a node that may have been done in an earlier run.
func outcomeUnknown() error {
	return node.Permanent(node.Errorf(node.CodeOutcomeUnknown,
		"it was under way when its run was interrupted, and nobody knows whether it was done; see whether it was, and resume again to have it called once more"))
}
