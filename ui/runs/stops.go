package runs

import (
	"context"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/job"
)

// Stops are the breakpoints of a trial: before each node, before some, or after a failure.
// The run waits at one at a time. Make them with [NewStops]; they are safe for concurrent
// use.
type Stops struct {
	told func()
	turn chan struct{} // holds the right to wait for the user

	mu      sync.Mutex
	jobs    *job.Runner // of the trial
	every   bool
	nodes   map[string]bool
	errors  bool
	failed  string        // what has failed since the run waited; "" if nothing has
	at      string        // the node that waits, by its path without iterations
	release chan struct{} // closed to continue
}

// NewStops returns breakpoints before each node, or else before those at the paths and, with
// errors, after a node has failed. told is called on the window's goroutine when the run
// waits.
func NewStops(every bool, nodes map[string]bool, errors bool, told func()) *Stops {
	return &Stops{every: every, nodes: nodes, errors: errors, told: told, turn: make(chan struct{}, 1)}
}

// At returns the node that the run waits at; "" while it does not wait.
func (s *Stops) At() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// Set changes the breakpoints.
func (s *Stops) Set(nodes map[string]bool, errors bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes, s.errors = nodes, errors
}

// Step continues to the next node.
func (s *Stops) Step() { s.letGo(true) }

// Continue continues to the next breakpoint.
func (s *Stops) Continue() { s.letGo(false) }

func (s *Stops) letGo(every bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.every = every
	if s.release != nil {
		close(s.release)
		s.at, s.release = "", nil
	}
}

func (s *Stops) follow(jobs *job.Runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = jobs
}

// after is called with each event of the run.
func (s *Stops) after(e *engine.Event) {
	if e.Name != engine.EventNode || e.Status != engine.StatusFailed {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.errors && s.failed == "" {
		s.failed = fold.Path(e.NodeID).Node()
	}
}

// before is called before each node of the run. It waits for the user if the node has a
// breakpoint; nodes wait one after the other.
func (s *Stops) before(ctx context.Context, path string) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-s.turn }()
	release := s.halt(fold.Path(path).Node())
	if release == nil {
		return
	}
	select {
	case <-release:
	case <-ctx.Done():
		s.Continue()
	}
}

// halt records that the run waits, if it is to stop before a node, and returns a channel that
// is closed when the run continues.
func (s *Stops) halt(id string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.errors && s.failed != "":
		id = s.failed
	case !s.every && !s.nodes[id]:
		return nil
	}
	s.at, s.failed, s.release = id, "", make(chan struct{})
	s.jobs.Go(func(context.Context) func() { return s.told })
	return s.release
}
