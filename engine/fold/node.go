package fold

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/engine"
)

// Unknown is the count of items that a port has given if one of its values was too large
// for its event, so that nobody has counted it. It stays so, whatever comes later.
const Unknown = -1

// Node is what a run has done at one node; in a body, at all its steps.
type Node struct {
	Name  string // "loop/fmt"
	Depth int    // how many containers are around it

	Started, Ended time.Time     // of the first step, and of the last one that has ended
	Status         engine.Status // the worst end of all steps, pending if there is none; see State
	Error          *engine.Failure
	Skipped        *engine.Skip
	// Done and Failed count the steps that have ended: one, for a node outside all
	// bodies.
	Done, Failed int
	// Last is the step that has ended last; nil if none has.
	Last *Step
	// Running are the steps that are under way, by path; see Under.
	Running map[Path]*Step
	// Items counts by output port what the steps have given: the items of lists, and 1
	// for every other value; or Unknown.
	Items map[string]int
	// Step and Total are the progress that the node reports; Total is 0 if it is
	// unknown. Message is what it has said last.
	Step, Total int
	Message     string
	// Inner are the nodes of its body, as they were first told of.
	Inner []*Node
}

// Step is what a node has done once: there is one for each round of a loop.
type Step struct {
	Path           Path
	Status         engine.Status
	Started, Ended time.Time // Ended is zero while it is running
	Duration       time.Duration
	Attempts       int // one that is waited for included
	Outputs        map[string]any
	Error          *engine.Failure // while it is running, that of the attempt before
	Handled        bool            // the failure went to the error port
	Reused         bool            // the outputs were taken over from an earlier run
	Redacted       bool            // the outputs held secrets, in whose place something else stands
	Skipped        *engine.Skip
	Retry          *Retry // the pause between two attempts that it is in; nil if it is in none
}

// Retry is a pause before another attempt.
type Retry struct {
	Attempt int           // the one that comes next; 2 or more
	In      time.Duration // how long the pause is
	At      time.Time     // when it ends
	Error   *engine.Failure
}

// State returns what the node is doing: running while any step of it is, else the worst
// end of all its steps.
func (n *Node) State() engine.Status {
	if len(n.Running) > 0 {
		return engine.StatusRunning
	}
	return n.Status
}

// Over reports whether steps have ended and none is under way.
func (n *Node) Over() bool { return len(n.Running) == 0 && n.Done > 0 }

// Under returns the steps that are under way, in order of their start.
func (n *Node) Under() []*Step {
	return slices.SortedFunc(maps.Values(n.Running), func(a, b *Step) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Path, b.Path))
	})
}

// Retry returns the pause that ends last of those that steps of the node are in; nil if
// they are in none.
func (n *Node) Retry() *Retry {
	var last *Retry
	for _, s := range n.Under() {
		if s.Retry != nil && (last == nil || s.Retry.At.After(last.At)) {
			last = s.Retry
		}
	}
	return last
}

// Rounds returns how many steps the node has: those that it reports for a container,
// else those that have started. It is 0 outside all loops.
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

// Inside counts the steps that have ended in the body of the node, at any depth, and how
// many of them failed.
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

// endOf returns the step that an event tells the end of.
func (n *Node) endOf(path Path, e *engine.Event) *Step {
	s := n.Running[path]
	if s == nil { // a node that takes no time tells its end only
		s = &Step{Path: path, Started: e.Time.Add(-e.Duration)}
	}
	s.Ended, s.Duration, s.Status = e.Time, e.Duration, e.Status
	s.Attempts, s.Outputs, s.Error = e.Attempts, e.Outputs, e.Error
	s.Handled, s.Reused, s.Redacted, s.Skipped = e.Handled, e.Reused, e.Redacted, e.SkippedBecause
	return s
}

// add takes over a step that has ended. The worst end of all is that of the node, the
// last one if there are several.
func (n *Node) add(s *Step) {
	delete(n.Running, s.Path)
	s.Retry = nil
	if n.Started.IsZero() {
		n.Started = s.Started
	}
	n.Ended, n.Last = s.Ended, s
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

// count adds a value to what a port has given.
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

// severity orders the ends of a step, the worst last.
func severity(s engine.Status) int {
	return slices.Index([]engine.Status{engine.StatusSkipped, engine.StatusSucceeded, engine.StatusCancelled, engine.StatusFailed}, s)
}
