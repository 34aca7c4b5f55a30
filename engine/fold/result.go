package fold

import (
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// Result returns the known outcome of a run whose workflow has the given nodes. If the run
// has not ended, the result ends at the last event.
func (s *State) Result(nodes []string) *engine.Result {
	r := &engine.Result{
		RunID: s.RunID, WorkflowID: s.WorkflowID, Status: s.Status, Error: s.Error, Outputs: s.Outputs, Order: slices.Clone(s.Order),
		StartedAt: s.Started, FinishedAt: s.Ended, Duration: s.Took, Nodes: make(map[string]engine.NodeResult, len(nodes)),
	}
	if !s.Over() {
		r.FinishedAt = s.Started
		if s.Told.After(s.Started) {
			r.FinishedAt = s.Told
		}
		r.Duration = r.FinishedAt.Sub(r.StartedAt)
	}
	told := r.FinishedAt
	if r.Outputs == nil {
		r.Outputs = map[string]any{}
	}
	for _, id := range nodes {
		n := s.Nodes[id].result(told)
		r.Nodes[id] = n
		r.Warnings += n.Warnings
	}
	return r
}

// result returns the outcome of a node outside all bodies, in a run without events after
// told. A node that was running then counts as failed, because its outcome is unknown. A
// node that never started, or nil, counts as cancelled.
func (n *Node) result(told time.Time) engine.NodeResult {
	switch {
	case n != nil && n.Last != nil:
		s := n.Last
		r := engine.NodeResult{
			Status: s.Status, Outputs: s.Outputs, Error: s.Error, Handled: s.Handled, Redacted: s.Redacted, Warnings: s.Warnings, SkippedBecause: s.Skipped, Attempts: s.Attempts,
		}
		if r.Duration = s.Duration; s.Attempts > 0 { // otherwise it was never called
			r.StartedAt = s.Ended.Add(-s.Duration)
		}
		return r
	case n != nil && len(n.Running) > 0:
		under := n.Under()[0]
		return engine.NodeResult{
			Status: engine.StatusFailed, StartedAt: under.Started, Duration: max(told.Sub(under.Started), 0), Attempts: under.Attempts,
			Error: interrupted(),
		}
	}
	return engine.NodeResult{Status: engine.StatusCancelled}
}

// interrupted returns the failure of a node that was running when the process of its run
// died.
func interrupted() *engine.Failure {
	return &engine.Failure{Code: node.CodeInterrupted, Message: "the run was interrupted while the node was under way; nobody knows whether it was done"}
}

// finish applies the result of the run. For nodes with an end event it replaces outputs and
// errors only: events may contain secrets that became known later, but the result does not.
func (s *State) finish(r *engine.Result) {
	s.RunID, s.WorkflowID, s.Status, s.Error = r.RunID, r.WorkflowID, r.Status, r.Error
	s.Started, s.Ended, s.Took, s.Outputs = r.StartedAt, r.FinishedAt, r.Duration, r.Outputs
	for _, id := range byStart(r) {
		n, outcome := s.at(id), r.Nodes[id]
		if n.Done == 0 {
			s.end(n, stepOf(id, &outcome))
		}
		n.Last.Outputs, n.Last.Error, n.Error = outcome.Outputs, outcome.Error, outcome.Error
	}
	if len(s.Order) == 0 {
		s.Order = r.Order
	}
	s.stop()
}

// stepOf returns the only step of a node outside all bodies.
func stepOf(id string, r *engine.NodeResult) *Step {
	s := &Step{
		Path: Path(id), Status: r.Status, Duration: r.Duration, Attempts: r.Attempts,
		Outputs: r.Outputs, Error: r.Error, Handled: r.Handled, Redacted: r.Redacted, Warnings: r.Warnings, Skipped: r.SkippedBecause,
	}
	if r.Attempts > 0 { // otherwise nothing began that could have a time
		s.Started, s.Ended = r.StartedAt, r.StartedAt.Add(r.Duration)
	}
	return s
}

// byStart returns the nodes of a result in order of their start. A node that never started
// is placed by its end, and nodes that are not in the order come last.
func byStart(r *engine.Result) []string {
	starts := make(map[string]time.Time, len(r.Nodes))
	ids := make([]string, 0, len(r.Nodes))
	var last time.Time
	for _, id := range r.Order {
		n, known := r.Nodes[id]
		if _, twice := starts[id]; !known || twice {
			continue
		}
		if n.Attempts == 0 {
			n.StartedAt = last
		} else if end := n.StartedAt.Add(n.Duration); end.After(last) {
			last = end
		}
		starts[id] = n.StartedAt
		ids = append(ids, id)
	}
	var rest []string
	for id := range r.Nodes {
		if _, known := starts[id]; !known {
			rest = append(rest, id)
		}
	}
	slices.Sort(rest)
	slices.SortStableFunc(ids, func(a, b string) int { return starts[a].Compare(starts[b]) })
	return append(ids, rest...)
}
