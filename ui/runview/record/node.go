package record

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/editor"
)

const (
	// MaxSteps is how many ended steps of a node are kept, the last ones.
	MaxSteps = 200
	// maxBytes is how much the outputs of the kept steps of one node may take.
	maxBytes = 4 << 20
	// maxValue is from where on the size of an output is not looked at any closer.
	maxValue = 64 << 10
)

// Node is what a run has done at one node; in a loop, at all its steps.
type Node struct {
	Path  string // without the numbers of steps: "loop/fmt"
	Depth int    // how many containers are around it

	Started, Ended time.Time     // of the first step, and of the last one that has ended
	Status         engine.Status // the worst end of all steps; see State
	Error          *engine.Failure
	// Running, Done and Failed count steps: one, for a node outside all loops.
	Running, Done, Failed int
	// Step and Total are the progress that the node reports; Total is 0 if it is
	// unknown.
	Step, Total int
	// Retry is the pause between two attempts that the node is in; nil if it is in
	// none.
	Retry *Retry

	inner   []*Node
	running map[string]*Step // by path
	steps   ring[*Step]
	bytes   int // of the outputs of steps
}

// Step is what a node has done once: there is one for each round of a loop.
type Step struct {
	Path           string // "loop/3/fmt"
	Status         engine.Status
	Started, Ended time.Time // Ended is zero while it is running
	Duration       time.Duration
	Attempts       int
	Outputs        map[string]any
	Error          *engine.Failure
	Handled        bool // the failure went to the error port
	Reused         bool // the outputs were taken over from an earlier run
	Skipped        *engine.Skip

	bytes int
}

// Retry is a pause before another attempt.
type Retry struct {
	Attempt int       // the one that comes next; 2 or more
	At      time.Time // when it comes
	Error   *engine.Failure
}

// State returns what the node is doing: running while any step of it is, else the
// worst end of all its steps.
func (n *Node) State() engine.Status {
	if n.Running > 0 {
		return engine.StatusRunning
	}
	return n.Status
}

// Loops reports whether the node holds or is part of a body, so that it has many
// steps to tell of.
func (n *Node) Loops() bool { return n.Depth > 0 || len(n.inner) > 0 }

// Rounds returns how many steps the node has: those that it reports for a container,
// else those that have started. It is 0 outside all loops.
func (n *Node) Rounds() int {
	switch {
	case len(n.inner) > 0 && n.Total > 0:
		return n.Total
	case len(n.inner) > 0 && n.Step > 0:
		return n.Step
	case n.Depth > 0:
		return n.Running + n.Done
	}
	return 0
}

// Steps returns the steps that are kept, those that are running last.
func (n *Node) Steps() []*Step {
	steps := n.steps.all()
	if len(n.running) == 0 {
		return steps
	}
	running := slices.Collect(maps.Values(n.running))
	slices.SortFunc(running, func(a, b *Step) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return append(steps, running...)
}

// StepAt returns the step of a path, "loop/3/fmt"; nil if it is not kept.
func (n *Node) StepAt(path string) *Step {
	if s := n.running[path]; s != nil {
		return s
	}
	for _, s := range n.steps.items {
		if s.Path == path {
			return s
		}
	}
	return nil
}

func (n *Node) start(e *engine.Event) {
	if n.Started.IsZero() {
		n.Started = e.Time
	}
	if n.running == nil {
		n.running = map[string]*Step{}
	}
	n.running[e.NodeID] = &Step{Path: e.NodeID, Status: engine.StatusRunning, Started: e.Time}
	n.Running, n.Retry = len(n.running), nil
}

func (n *Node) progress(e *engine.Event) {
	if e.Total > 0 || e.Step > 0 {
		n.Step, n.Total = e.Step, e.Total
	}
	s := n.running[e.NodeID]
	if e.Error == nil || s == nil {
		return
	}
	s.Attempts = max(s.Attempts, 1) + 1
	s.Error = e.Error
	n.Retry = &Retry{Attempt: s.Attempts, At: e.Time.Add(e.RetryIn), Error: e.Error}
}

// end takes over the end of a step.
func (n *Node) end(e *engine.Event) {
	s := n.running[e.NodeID]
	if s == nil {
		s = &Step{Path: e.NodeID, Started: e.Time.Add(-e.Duration)}
	}
	s.Ended, s.Duration, s.Status = e.Time, e.Duration, e.Status
	s.Attempts, s.Outputs, s.Error = e.Attempts, e.Outputs, e.Error
	s.Handled, s.Reused, s.Skipped = e.Handled, e.Reused, e.SkippedBecause
	n.add(s)
}

// settle takes over the end of a node that no event has told of.
func (n *Node) settle(r *engine.NodeResult) {
	s := &Step{
		Path: n.Path, Status: r.Status, Started: r.StartedAt, Duration: r.Duration, Attempts: r.Attempts,
		Outputs: r.Outputs, Error: r.Error, Handled: r.Handled, Skipped: r.SkippedBecause,
	}
	if !r.StartedAt.IsZero() {
		s.Ended = r.StartedAt.Add(r.Duration)
	}
	n.add(s)
}

// add keeps a step that has ended. The worst end of all is that of the node.
func (n *Node) add(s *Step) {
	delete(n.running, s.Path)
	n.Running, n.Retry = len(n.running), nil
	if n.Started.IsZero() {
		n.Started = s.Started
	}
	n.Ended = s.Ended
	if n.Done++; s.Status == engine.StatusFailed {
		n.Failed++
	}
	if n.Done == 1 || editor.Severity(s.Status) >= editor.Severity(n.Status) {
		n.Status, n.Error = s.Status, s.Error
	}
	if n.Depth > 0 {
		s.bytes = sizeOf(s.Outputs)
	}
	if gone, full := n.steps.add(s); full {
		n.bytes -= gone.bytes
	}
	n.bytes += s.bytes
	n.lighten()
}

// lighten takes the outputs of the oldest steps away while there is too much.
func (n *Node) lighten() {
	for i := 0; n.bytes > maxBytes && i < n.steps.len(); i++ {
		s := n.steps.at(i)
		if s.bytes == 0 {
			continue
		}
		lighter := make(map[string]any, len(s.Outputs))
		for port, v := range s.Outputs {
			lighter[port] = elide(value.Size(v, maxValue))
		}
		s.Outputs = lighter
		n.bytes -= s.bytes
		s.bytes = 0
	}
}

// stop ends the steps that are still running when the run ends.
func (n *Node) stop(at time.Time) {
	for _, s := range n.Steps() {
		if s.Status == engine.StatusRunning {
			s.Status, s.Ended, s.Duration = engine.StatusCancelled, at, max(at.Sub(s.Started), 0)
			n.add(s)
		}
	}
}

func sizeOf(outputs map[string]any) (n int) {
	for _, v := range outputs {
		n += value.Size(v, maxValue)
	}
	return n
}
