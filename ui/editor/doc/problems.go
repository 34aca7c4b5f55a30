package doc

import (
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// Problems are the problems of validation, by the node, port or wire that shows each. The
// zero value has none.
type Problems struct {
	list    []*engine.ValidationError
	byNode  map[string][]*engine.ValidationError // path of the node → its own problems
	within  map[string]int                       // path of the container → number of problems in its body
	current int                                  // the last result of Next; -1 before the first
}

// NewProblems sorts the problems that engine.Compile has reported.
func NewProblems(errs engine.ValidationErrors) *Problems {
	p := &Problems{list: errs, byNode: map[string][]*engine.ValidationError{}, within: map[string]int{}, current: -1}
	for _, e := range errs {
		if e.NodeID == "" {
			continue
		}
		p.byNode[e.NodeID] = append(p.byNode[e.NodeID], e)
		for around := fold.Container(e.NodeID); around != ""; around = fold.Container(around) {
			p.within[around]++
		}
	}
	return p
}

// All returns the problems in document order. The caller must not change them.
func (p *Problems) All() []*engine.ValidationError { return p.list }

// Of returns the problems of one node in the body at path.
func (p *Problems) Of(path []string, id string) []*engine.ValidationError {
	return p.byNode[fold.Join(path, id)]
}

// Count returns the number of problems of a node, including those in its body.
func (p *Problems) Count(path []string, id string) int {
	at := fold.Join(path, id)
	return len(p.byNode[at]) + p.within[at]
}

// Next returns the problem after the last result, or with step -1 the one before, wrapping
// around. ok is false without problems.
func (p *Problems) Next(step int) (e *engine.ValidationError, ok bool) {
	if len(p.list) == 0 {
		return nil, false
	}
	if p.current < 0 && step < 0 {
		p.current = 0
	}
	p.current = (p.current + step + len(p.list)) % len(p.list)
	return p.list[p.current], true
}
