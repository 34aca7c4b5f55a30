package fold

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
)

// Unknown is the item count of a port if one of its values was too large for its event and
// so was not counted. Later values do not change it.
const Unknown = -1

// Node is what a run has done at one node; inside a body, in all its steps.
type Node struct {
	Name  string // "loop/fmt"
	Depth int    // number of containers around it

	Started, Ended time.Time     // of the first step, and of the last ended step
	Status         engine.Status // worst end of all steps; pending if no step has ended; see State
	Error          *engine.Failure
	Skipped        *engine.Skip
	// Done and Failed count the ended steps: at most one for a node outside all bodies.
	Done, Failed int
	// Last is the step that ended last; nil if none has.
	Last *Step
	// Running are the running steps, by path; see Under.
	Running map[Path]*Step
	// Warnings counts the warnings of all steps.
	Warnings int
	// Items counts the emitted items by output port: the items of lists, and 1 for every
	// other value; or Unknown.
	Items map[string]int
	// Step and Total are the progress that the node reports; Total is 0 if unknown. Message
	// is its last message.
	Step, Total int
	Message     string
	// Inner are the nodes of its body, in the order of their first events.
	Inner []*Node
}

// Step is one execution of a node: there is one for each round of a loop.
type Step struct {
	Path           Path
	Status         engine.Status
	Started, Ended time.Time // Ended is zero while it is running
	Duration       time.Duration
	Attempts       int // including one that is pending
	Outputs        map[string]any
	Error          *engine.Failure // while it is running, the error of the previous attempt
	Handled        bool            // the error port passed the failure on
	Reused         bool            // the outputs were taken over from an earlier run
	Redacted       bool            // the outputs contained secrets, which were replaced
	Warnings       int             // how many warnings the step gave, those of its body included
	Skipped        *engine.Skip
	Retry          *Retry // the current pause between two attempts, or nil
}

// Retry is a pause before another attempt.
type Retry struct {
	Attempt int           // number of the next attempt; 2 or more
	In      time.Duration // length of the pause
	At      time.Time     // when it ends
	Error   *engine.Failure
}

// State returns the status of the node: running if any step is, else the worst end of all
// its steps.
func (n *Node) State() engine.Status {
	if len(n.Running) > 0 {
		return engine.StatusRunning
	}
	return n.Status
}

// Over reports whether steps have ended and none is running.
func (n *Node) Over() bool { return len(n.Running) == 0 && n.Done > 0 }

// Under returns the running steps, in order of their start.
func (n *Node) Under() []*Step {
	return slices.SortedFunc(maps.Values(n.Running), func(a, b *Step) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Path, b.Path))
	})
}

// Retry returns the pause of a running step that ends last; nil if none pauses.
func (n *Node) Retry() *Retry {
	var last *Retry
	for _, s := range n.Under() {
		if s.Retry != nil && (last == nil || s.Retry.At.After(last.At)) {
			last = s.Retry
		}
	}
	return last
}

// Rounds returns the number of steps of the node. For a container it is the number that the
// container reports, else the number of steps that have started. It is 0 outside all loops.
func (n *Node) Rounds() int {
	switch {
	case len(n.Inner) > 0 && n.Total > 0:
		return n.Total
	case len(n.Inner) > 0 && n.Step > 0:
		return n.Step
	case n.Depth > 0:
		return len(n.Running) + n.Done
	}
	return 0
}

// Inside counts the ended steps in the body of the node, at any depth, and how many of them
// failed.
func (n *Node) Inside() (done, failed int) {
	for _, inner := range n.Inner {
		d, f := inner.Inside()
		done, failed = done+inner.Done+d, failed+inner.Failed+f
	}
	return done, failed
}

func (n *Node) start(path Path, at time.Time) {
	if n.Started.IsZero() {
		n.Started = at
	}
	n.Message = ""
	n.Running[path] = &Step{Path: path, Status: engine.StatusRunning, Started: at, Attempts: 1}
}

func (n *Node) progress(path Path, e *engine.Event) {
	n.Message = e.Message
	if e.Total > 0 || e.Step > 0 {
		n.Step, n.Total = e.Step, e.Total
	}
	s := n.Running[path]
	switch {
	case s == nil:
	case e.Error == nil:
		s.Retry = nil
	default:
		s.Attempts++
		s.Error = e.Error
		s.Retry = &Retry{Attempt: s.Attempts, In: e.RetryIn, At: e.Time.Add(e.RetryIn), Error: e.Error}
	}
}

// endOf returns the step that ends with e.
func (n *Node) endOf(path Path, e *engine.Event) *Step {
	s := n.Running[path]
	if s == nil { // a short node has no start event
		s = &Step{Path: path, Started: e.Time.Add(-e.Duration)}
	}
	s.Ended, s.Duration, s.Status = e.Time, e.Duration, e.Status
	s.Attempts, s.Outputs, s.Error = e.Attempts, e.Outputs, e.Error
	s.Handled, s.Reused, s.Redacted, s.Warnings, s.Skipped = e.Handled, e.Reused, e.Redacted, e.Warnings, e.SkippedBecause
	return s
}

// add records the end of a step. The node gets the worst end of all its steps; among equal
// ends, the last.
func (n *Node) add(s *Step) {
	delete(n.Running, s.Path)
	s.Retry = nil
	if n.Started.IsZero() {
		n.Started = s.Started
	}
	n.Ended, n.Last = s.Ended, s
	n.Warnings += s.Warnings
	if n.Done++; s.Status == engine.StatusFailed {
		n.Failed++
	}
	if n.Done == 1 || severity(s.Status) >= severity(n.Status) {
		n.Status, n.Error, n.Skipped = s.Status, s.Error, s.Skipped
	}
	for port, v := range s.Outputs {
		n.count(port, v)
	}
}

// count adds a value to the items of a port.
func (n *Node) count(port string, v any) {
	_, elided := engine.Elided(v)
	list, isList := v.([]any)
	switch {
	case elided || n.Items[port] == Unknown:
		n.Items[port] = Unknown
	case isList:
		n.Items[port] += len(list)
	default:
		n.Items[port]++
	}
}

// severity orders the ends of a step from best to worst.
func severity(s engine.Status) int {
	return slices.Index([]engine.Status{engine.StatusSkipped, engine.StatusSucceeded, engine.StatusCancelled, engine.StatusFailed}, s)
}
