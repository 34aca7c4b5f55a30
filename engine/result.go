package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Failure is an error as results and events show it.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	NodeID  string `json:"nodeId,omitempty"` // of a run's error: the node that failed
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// Skip says why a node was skipped: the node that caused it, and whether that node's output
// was not_taken or failed, or the node was disabled.
type Skip struct {
	NodeID string `json:"nodeId"`
	Reason string `json:"reason"`
}

// Result is the outcome of a run (docs/design.md, Words).
type Result struct {
	RunID      string
	WorkflowID string
	Status     Status // completed, failed or cancelled
	StartedAt  time.Time
	FinishedAt time.Time
	Duration   time.Duration // on the monotonic clock
	Outputs    map[string]any
	Nodes      map[string]NodeResult
	Order      []string // ids of nodes in the order they ended; nodes never started are left out
	Warnings   int      // how many warnings the nodes gave, those in bodies included
	Error      *Failure // nil unless failed or cancelled
}

// NodeResult is the outcome of one node.
type NodeResult struct {
	Status         Status
	Outputs        map[string]any // those that were emitted
	Error          *Failure
	Handled        bool      // the error port passed the failure on
	Redacted       bool      // the outputs contained secrets, which were replaced
	Warnings       int       // how many warnings the node and the nodes in its body gave
	SkippedBecause *Skip     // of a skipped node
	StartedAt      time.Time // zero for nodes that were never called
	Duration       time.Duration
	Attempts       int // 0 for nodes that were never called
}

// Run is a run that has ended. It is immutable.
type Run struct {
	id       string
	x        *execution
	finished time.Duration // since the run began
	status   Status
}

func newRun(ctx context.Context, id string, x *execution) *Run {
	// The clock of events differs from the monotonic one, so the last event may be later.
	r := &Run{id: id, x: x, finished: max(x.since(), x.events.told(x.shown)), status: x.status()}
	x.scratch, x.reports = nil, nil
	x.putInOrder()
	x.cleanAll()
	x.letAllGo(ctx)
	return r
}

// status returns the terminal status of x.
func (x *execution) status() Status {
	switch {
	case x.cancelled && x.stopped == nil:
		return StatusCancelled
	case x.cancelled:
		return StatusFailed
	case x.failed >= 0, x.undone != nil:
		return StatusFailed
	}
	return StatusCompleted
}

// cleanAll redacts secrets in values that were emitted before the secrets were known.
func (x *execution) cleanAll() {
	if !x.scrub.Active() {
		return
	}
	for o, v := range x.values {
		x.values[o] = x.clean(v)
	}
	for i, v := range x.outputs {
		x.outputs[i] = x.clean(v)
	}
	for i := range x.nodes {
		if err := x.nodes[i].err; err != nil {
			x.nodes[i].err = x.failure(err)
		}
	}
}

// ID returns the id of the run.
func (r *Run) ID() string { return r.id }

// Status returns how the run ended: completed, failed or cancelled.
func (r *Run) Status() Status { return r.status }

// StartedAt returns when the run began.
func (r *Run) StartedAt() time.Time { return r.x.shown }

// FinishedAt returns when the run ended.
func (r *Run) FinishedAt() time.Time { return r.x.at(r.finished) }

// Ended returns how many nodes have ended. Nodes never started do not count.
func (r *Run) Ended() int { return len(r.x.order) }

// Exceeds reports whether the JSON of some output takes more than n bytes, without printing
// it: true is certain, false may be wrong.
func (r *Run) Exceeds(n int) bool {
	for _, values := range [...][]any{r.x.values, r.x.outputs} {
		for _, v := range values {
			if _, gone := v.(letGo); gone || value.Exceeds(v, n) {
				return true
			}
		}
	}
	return false
}

// Bytes returns approximately how many bytes of memory the kept values of the run take.
func (r *Run) Bytes() int {
	if r.x.ledger.rough {
		r.x.weighKept()
	}
	return int(r.x.ledger.total())
}

// OutputBytes returns approximately how many bytes of JSON the outputs of the workflow
// take. It stops counting above [value.MaxSize].
func (r *Run) OutputBytes() int {
	bytes := 0
	for _, v := range r.x.outputs {
		if node.Present(v) && bytes <= value.MaxSize {
			bytes += value.Size(v, value.MaxSize-bytes)
		}
	}
	return bytes
}

// Err returns why the run did not complete, or nil.
func (r *Run) Err() *Failure { return r.x.err() }

func (x *execution) err() *Failure {
	switch {
	case x.cancelled && x.stopped != nil:
		return x.stopped
	case x.cancelled:
		return &Failure{Code: "cancelled", Message: "the run was cancelled"}
	case x.failed >= 0:
		f := failureOf(x.nodes[x.failed].err)
		f.NodeID = x.plan.nodes[x.failed].id
		return f
	}
	return x.undone
}

func failureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	return &Failure{Code: node.CodeOf(err), Message: value.Shorten(err.Error(), limit.Failure)}
}

// Outputs returns the workflow's outputs by name. Outputs that were not emitted have no
// entry.
func (r *Run) Outputs() map[string]any { return r.x.outputMap() }

func (x *execution) outputMap() map[string]any {
	m := make(map[string]any, len(x.outputs))
	for i, v := range x.outputs {
		if node.Present(v) {
			m[x.plan.face.outputs[i].port.Name] = v
		}
	}
	return m
}

// Result returns the whole outcome of the run.
func (r *Run) Result() *Result {
	x := r.x
	res := &Result{
		RunID: r.id, WorkflowID: x.plan.id, Status: r.status, Outputs: x.outputMap(), Warnings: x.warnings(), Error: x.err(),
		StartedAt: x.shown, FinishedAt: x.at(r.finished), Duration: r.finished,
		Nodes: make(map[string]NodeResult, len(x.nodes)), Order: make([]string, len(x.order)),
	}
	for i := range x.nodes {
		res.Nodes[x.plan.nodes[i].id] = x.nodeResult(int32(i))
	}
	for k, i := range x.order {
		res.Order[k] = x.plan.nodes[i].id
	}
	return res
}

// at returns the wall-clock time d after the run's start.
func (x *execution) at(d time.Duration) time.Time { return x.shown.Add(d) }

func (x *execution) nodeResult(i int32) NodeResult {
	s := &x.nodes[i]
	n := NodeResult{
		Status: s.status, Outputs: x.nodeOutputs(i), Error: failureOf(s.err), Handled: s.handled, Redacted: s.redacted, Warnings: int(s.warnings),
		SkippedBecause: x.skip(i), Duration: s.took, Attempts: int(s.attempts),
	}
	if n.Attempts > 0 {
		n.StartedAt = x.at(s.start)
	}
	return n
}

// nodeOutputs returns the outputs that node i emitted, or nil.
func (x *execution) nodeOutputs(i int32) map[string]any {
	n, lo := &x.plan.nodes[i], x.plan.graph.outLo[i]
	var m map[string]any
	for k := range n.outputs {
		if v := x.values[lo+int32(k)]; node.Present(v) {
			if m == nil {
				m = make(map[string]any, len(n.outputs))
			}
			m[n.outputs[k].Name] = kept(v)
		}
	}
	return m
}

func (x *execution) skip(i int32) *Skip {
	c := x.nodes[i].cause
	if c.reason == reasonNone {
		return nil
	}
	return &Skip{NodeID: x.plan.nodes[c.node].id, Reason: c.reason.String()}
}

// Status is the state of a run or of a node in it. Succeeded, Failed, Skipped,
// Cancelled and Completed are terminal: they never change.
type Status uint8

// The statuses. Nodes are pending, running, succeeded, failed, skipped or cancelled; runs
// are waiting (for a run slot), running, completed, failed or cancelled.
const (
	StatusPending Status = iota
	StatusRunning
	StatusSucceeded
	StatusFailed
	StatusSkipped
	StatusCancelled
	StatusCompleted
	StatusWaiting
)

// GoesOn reports whether s is the status of a run that has not ended: running or waiting.
func (s Status) GoesOn() bool { return s == StatusRunning || s == StatusWaiting }

// statusWords is indexed by Status.
func statusWords() [8]string {
	return [...]string{"pending", "running", "succeeded", "failed", "skipped", "cancelled", "completed", "waiting"}
}

// String returns the name of s in the wire form.
func (s Status) String() string { return statusWords()[s] }

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(text []byte) error {
	for i, word := range statusWords() {
		if word == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}
