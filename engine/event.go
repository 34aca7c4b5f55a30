package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// EventName is the kind of an [Event], and its SSE event name (docs/design.md, Events).
type EventName string

// The kinds of events.
const (
	EventNode      EventName = "event"     // a node has ended
	EventStarted   EventName = "started"   // the run, or a node, has started
	EventProgress  EventName = "progress"  // a node reports progress, or waits for its next attempt
	EventCompleted EventName = "completed" // terminal: the run has completed
	EventFailed    EventName = "failed"    // terminal: the run has failed or was cancelled
)

// Terminal reports whether an event of this kind is a run's last.
func (n EventName) Terminal() bool { return n == EventCompleted || n == EventFailed }

// Event is one numbered frame of a run (docs/design.md, Events).
// Which fields are set depends on its name; the JSON form holds just those.
type Event struct {
	Name  EventName
	Seq   int // from 1, without gaps
	RunID string
	Time  time.Time

	NodeID     string // a path inside bodies: "loop/3/fmt"; empty for the run itself
	WorkflowID string // of the run's start

	// Of a node that ended.
	Status         Status
	Outputs        map[string]any
	Error          *Failure // also set on a retry and on a terminal event
	Handled        bool
	Reused         bool // the outputs were taken over from an earlier run
	Redacted       bool // the outputs contained secrets, which were replaced
	Warnings       int  // how many warnings the node and the nodes in its body gave
	Permanent      bool // of a failure inside a body: a further attempt would fail as well
	SkippedBecause *Skip
	Duration       time.Duration
	Attempts       int

	// Of progress.
	Step, Total int // Total is 0 if unknown
	Message     string
	RetryIn     time.Duration // pause before the next attempt; Error is the last failure

	// Of a terminal event.
	Result *Result
}

// recorder numbers the events of a run and hands them to its observer, one at a
// time. A nil recorder does nothing.
type recorder struct {
	runID   string
	observe func(Event)
	ctx     context.Context // of the run

	mu     sync.Mutex
	seq    int
	last   time.Time // time of the last event; times never go back
	ending bool      // only the terminal event is still to come
}

// emit numbers e and passes it to the observer. It drops events of abandoned calls after
// the run has ended, and all events once the run belongs to another driver.
func (r *recorder) emit(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending != e.Name.Terminal() || !r.ending && yieldCause(r.ctx) != nil {
		return
	}
	r.seq++
	// Use the wall clock, whose times other processes can compare. It may be set back, so
	// never go below the last time.
	if now := time.Now().UTC().Round(0); now.After(r.last) {
		r.last = now
	}
	e.Seq, e.RunID, e.Time = r.seq, r.runID, r.last
	r.observe(e)
}

func (r *recorder) runStarted(workflowID string) {
	if r != nil {
		r.emit(Event{Name: EventStarted, WorkflowID: workflowID})
	}
}

// end stops all events but the terminal one. If the run must go to another driver instead,
// it returns why.
func (r *recorder) end(ctx context.Context) error {
	if r == nil {
		return yieldCause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := yieldCause(ctx)
	r.ending = err == nil
	return err
}

// told returns the time from the start of the run to its last event. It is called when the
// run ends.
func (r *recorder) told(began time.Time) time.Duration {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.Sub(began)
}

func (r *recorder) runEnded(run *Run) {
	if r == nil {
		return
	}
	e := Event{Name: EventCompleted, Result: run.Result(), Error: run.Err()}
	if run.status != StatusCompleted {
		e.Name = EventFailed
	}
	r.emit(e)
}

// ofNode emits e about node i of x, unless x is the body of an abandoned call.
func (r *recorder) ofNode(x *execution, i int32, e Event) {
	if r != nil && x.hasWaiter() {
		e.NodeID = x.pathOf(i)
		r.emit(e)
	}
}

func (r *recorder) nodeStarted(x *execution, i int32) {
	r.ofNode(x, i, Event{Name: EventStarted})
}

// nodeEnded is called by the goroutine of x when node i has its terminal state.
func (r *recorder) nodeEnded(x *execution, i int32) {
	if r == nil {
		return // before anything is built
	}
	s := &x.nodes[i]
	r.ofNode(x, i, Event{
		Name: EventNode, Status: s.status, Outputs: x.nodeOutputs(i), Error: failureOf(s.err), Handled: s.handled,
		Permanent: x.owner != nil && s.status == StatusFailed && !s.handled && node.IsPermanent(s.err),
		Reused:    s.reused, Redacted: s.redacted, Warnings: int(s.warnings), SkippedBecause: x.skip(i), Duration: s.took, Attempts: int(s.attempts),
	})
}

func (r *recorder) progress(x *execution, i int32, step, total int, message string) {
	r.ofNode(x, i, Event{Name: EventProgress, Step: step, Total: total, Message: message})
}

func (r *recorder) retrying(x *execution, i int32, pause time.Duration, err error) {
	r.ofNode(x, i, Event{Name: EventProgress, RetryIn: pause, Error: failureOf(err)})
}

func (r *recorder) abandoned(x *execution, i int32) {
	r.ofNode(x, i, Event{Name: EventProgress, Message: "the node ignores the end of its context and was abandoned"})
}

// pathOf returns the name of node i in events.
func (x *execution) pathOf(i int32) string { return x.path + x.plan.nodes[i].id }

// place returns the prefix of the ids of x's nodes in paths, even if the run does not use
// paths.
func (x *execution) place() string {
	if x.owner == nil {
		return x.path // empty for a whole run; set for a node that is called by itself
	}
	around := x.owner.x
	return around.place() + around.plan.nodes[x.owner.node].id + "/" + strconv.Itoa(x.step) + "/"
}

// pathInto returns the path prefix of the nodes in a step of the body of node i. It is
// empty if nothing in the run uses paths.
func (x *execution) pathInto(i int32, step int) string {
	if x.events == nil && x.reuse == nil && x.lost == nil && x.pins == nil && x.control == nil && x.before == nil {
		return ""
	}
	return x.pathOf(i) + "/" + strconv.Itoa(step) + "/"
}

// UnmarshalJSON reads the wire form of an event's data (docs/design.md, Events), for
// clients and journals. The name is not part of the data and is not changed. Unknown fields
// are ignored, so that an older client can follow a newer server.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w struct {
		Seq            int       `json:"seq"`
		RunID          string    `json:"runId"`
		Time           time.Time `json:"time"`
		NodeID         string    `json:"nodeId"`
		WorkflowID     string    `json:"workflowId"`
		Status         Status    `json:"status"`
		Outputs        record    `json:"outputs"`
		Error          *Failure  `json:"error"`
		Handled        bool      `json:"handled"`
		Reused         bool      `json:"reused"`
		Redacted       bool      `json:"redacted"`
		Warnings       int       `json:"warnings"`
		Permanent      bool      `json:"permanent"`
		SkippedBecause *Skip     `json:"skippedBecause"`
		DurationMs     millis    `json:"durationMs"`
		Attempts       int       `json:"attempts"`
		Step           int       `json:"step"`
		Total          int       `json:"total"`
		Message        string    `json:"message"`
		RetryInMs      millis    `json:"retryInMs"`
		Result         *Result   `json:"result"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("decode an event: %w", err)
	}
	*e = Event{
		Name: e.Name, Seq: w.Seq, RunID: w.RunID, Time: w.Time, NodeID: w.NodeID, WorkflowID: w.WorkflowID,
		Status: w.Status, Outputs: w.Outputs, Error: w.Error, Handled: w.Handled, Reused: w.Reused, Redacted: w.Redacted, Warnings: w.Warnings,
		Permanent: w.Permanent, SkippedBecause: w.SkippedBecause, Duration: time.Duration(w.DurationMs), Attempts: w.Attempts,
		Step: w.Step, Total: w.Total, Message: w.Message, RetryIn: time.Duration(w.RetryInMs), Result: w.Result,
	}
	return nil
}

// UnmarshalJSON reads the wire form of a result (docs/design.md, Execution). Unknown fields
// are ignored.
func (r *Result) UnmarshalJSON(data []byte) error {
	var w struct {
		RunID      string                `json:"runId"`
		WorkflowID string                `json:"workflowId"`
		Status     Status                `json:"status"`
		StartedAt  time.Time             `json:"startedAt"`
		FinishedAt time.Time             `json:"finishedAt"`
		DurationMs millis                `json:"durationMs"`
		Outputs    record                `json:"outputs"`
		Nodes      map[string]NodeResult `json:"nodes"`
		Order      []string              `json:"order"`
		Warnings   int                   `json:"warnings"`
		Error      *Failure              `json:"error"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("decode a result: %w", err)
	}
	*r = Result{
		RunID: w.RunID, WorkflowID: w.WorkflowID, Status: w.Status, StartedAt: w.StartedAt, FinishedAt: w.FinishedAt,
		Duration: time.Duration(w.DurationMs), Outputs: w.Outputs, Nodes: w.Nodes, Order: w.Order, Warnings: w.Warnings, Error: w.Error,
	}
	return nil
}

// UnmarshalJSON reads the wire form of a node's outcome.
func (n *NodeResult) UnmarshalJSON(data []byte) error {
	var w struct {
		Status         Status    `json:"status"`
		Outputs        record    `json:"outputs"`
		Error          *Failure  `json:"error"`
		Handled        bool      `json:"handled"`
		Redacted       bool      `json:"redacted"`
		Warnings       int       `json:"warnings"`
		SkippedBecause *Skip     `json:"skippedBecause"`
		StartedAt      time.Time `json:"startedAt"`
		DurationMs     millis    `json:"durationMs"`
		Attempts       int       `json:"attempts"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*n = NodeResult{
		Status: w.Status, Outputs: w.Outputs, Error: w.Error, Handled: w.Handled, Redacted: w.Redacted, Warnings: w.Warnings, SkippedBecause: w.SkippedBecause,
		StartedAt: w.StartedAt, Duration: time.Duration(w.DurationMs), Attempts: w.Attempts,
	}
	return nil
}

// record is a JSON object whose integers are decoded as integers.
type record map[string]any

func (r *record) UnmarshalJSON(data []byte) error {
	v, err := value.Decode(data)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("an object is wanted, not %.20q", data)
	}
	*r = m
	return nil
}

// millis is a duration in JSON: in milliseconds, with microsecond precision.
type millis time.Duration

func (m *millis) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*m = millis(math.Round(ms*1000)) * millis(time.Microsecond)
	return nil
}
