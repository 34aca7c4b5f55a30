package doc

import (
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// Problems are the problems of validation, by the node, port or wire that shows each. The
// zero value has none.
type Problems struct {
	list    []*engine.ValidationError
	byNode  map[string][]*engine.ValidationError // path of the node → its own
	within  map[string]int                       // path of the container → how many in its body
	current int                                  // the one that F8 went to; -1 before the first
}

// NewProblems sorts what engine.Compile has reported.
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

// Of returns the problems of one node, itself in the body that path leads to.
func (p *Problems) Of(path []string, id string) []*engine.ValidationError {
	return p.byNode[fold.Join(path, id)]
}

// Count returns how many problems a node has, those in its body included.
func (p *Problems) Count(path []string, id string) int {
	at := fold.Join(path, id)
	return len(p.byNode[at]) + p.within[at]
}

// Next returns the problem after the one it returned last, or with step -1 the one
// before; after the last comes the first. ok is false if there are none.
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
