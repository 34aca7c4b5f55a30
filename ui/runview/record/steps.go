package record

import (
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

const (
	// MaxSteps is how many ended steps of a node are stored, the last ones.
	MaxSteps = 200
	// maxBytes is the maximum size of the stored outputs of a node.
	maxBytes = 4 << 20
	// maxValue is the size from which outputs are not measured exactly.
	maxValue = limit.Shown
)

// steps are the last ended steps of a node.
type steps struct {
	kept  ring[storedStep]
	bytes int // of their outputs
}

type storedStep struct {
	*fold.Step

	bytes int // of its outputs; 0 once they have been dropped
}

// Steps returns the stored steps of a node, running ones last.
func (r *Recorder) Steps(n *fold.Node) []*fold.Step {
	var all []*fold.Step
	switch s := r.steps[n.Name]; {
	case s != nil:
		for i := range s.kept.len() {
			all = append(all, s.kept.at(i).Step)
		}
	case n.Last != nil:
		all = append(all, n.Last)
	}
	return append(all, n.Under()...)
}

// Step returns the step of a path; nil if it is not stored.
func (r *Recorder) Step(path fold.Path) *fold.Step {
	n := r.Node(path.Node())
	if n == nil {
		return nil
	}
	for _, s := range r.Steps(n) {
		if s.Path == path {
			return s
		}
	}
	return nil
}

// keep stores a step of a node in a body. Other nodes have a single step, which is in the
// state.
func (r *Recorder) keep(step *fold.Step) {
	if !step.Path.Inside() {
		return
	}
	node := step.Path.Node()
	s := r.steps[node]
	if s == nil {
		s = &steps{kept: ring[storedStep]{limit: MaxSteps}}
		r.steps[node] = s
	}
	k := storedStep{step, sizeOf(step.Outputs)}
	if gone, full := s.kept.add(k); full {
		s.bytes -= gone.bytes
	}
	s.bytes += k.bytes
	s.lighten()
}

// lighten drops the outputs of the oldest steps while the total is too large.
func (s *steps) lighten() {
	for i := 0; s.bytes > maxBytes && i < s.kept.len(); i++ {
		k := s.kept.at(i)
		if k.bytes == 0 {
			continue
		}
		lighter := *k.Step
		lighter.Outputs = make(map[string]any, len(k.Outputs))
		for port, v := range k.Outputs {
			lighter.Outputs[port] = engine.Elide(value.Size(v, maxValue))
		}
		s.bytes -= k.bytes
		k.Step, k.bytes = &lighter, 0
	}
}

func sizeOf(outputs map[string]any) (n int) {
	for _, v := range outputs {
		n += value.Size(v, maxValue)
	}
	return n
}
