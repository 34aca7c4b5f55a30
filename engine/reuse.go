package engine

// takeOver ends node i with what it put out in an earlier run, if there was one
// and its outputs still fit the ports. The node is not called.
func (x *execution) takeOver(i int32) bool {
	recorded, ok := x.reuse(x.pathOf(i))
	if !ok {
		return false
	}
	n, lo := &x.plan.nodes[i], x.plan.graph.outLo[i]
	out := make([]any, len(n.outputs))
	absent(out)
	for k := range n.outputs {
		v, emitted := recorded[n.outputs[k].Name]
		if !emitted {
			continue
		}
		v, err := n.outputs[k].Accept(v)
		if err != nil {
			return false
		}
		out[k] = v
	}
	copy(x.values[lo:], out)
	x.nodes[i].reused = true
	x.now = x.since()
	x.end(i, nil)
	return true
}
