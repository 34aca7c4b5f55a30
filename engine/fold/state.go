package fold

import (
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// State is a run as far as its events have told. The zero State is a run of which nothing
// is known. It belongs to one goroutine, and only [State.Apply] changes what it holds.
type State struct {
	RunID, WorkflowID string
	Status            engine.Status // pending before the first event
	Error             *engine.Failure
	Outputs           map[string]any // of the workflow, once the run has ended
	// Started and Ended are by the clock of the machine that the run is on; zero if
	// the run has not started or ended. Told is the time of the last event.
	Started, Ended, Told time.Time
	Took                 time.Duration // once it has ended, by the clock of the run
	Order                []string      // nodes outside all bodies, as they ended

	// Nodes are all of which anything is known, by name: "loop/fmt".
	Nodes map[string]*Node
	// Top are those outside all bodies, as they were first told of; see [Node.Inner].
	Top []*Node

	ended []*Step // that Apply returned
}

// Past returns the state of a run that has ended. Its result tells nothing of bodies.
func Past(result *engine.Result) *State {
	s := &State{}
	s.finish(result)
	return s
}

// Over reports whether the run has ended. Nothing changes after that.
func (s *State) Over() bool {
	return s.Status == engine.StatusCompleted || s.Status == engine.StatusFailed || s.Status == engine.StatusCancelled
}

// Node returns the node of a name, "loop/fmt"; nil if nothing is known of it. A nil State
// knows none.
func (s *State) Node(name string) *Node {
	if s == nil {
		return nil
	}
	return s.Nodes[name]
}

// Rows returns all nodes as they were first told of, those of a body below their
// container.
func (s *State) Rows() []*Node { return appendRows(make([]*Node, 0, len(s.Nodes)), s.Top) }

func appendRows(rows, nodes []*Node) []*Node {
	for _, n := range nodes {
		rows = appendRows(append(rows, n), n.Inner)
	}
	return rows
}

// Apply takes over the next event of the run. It returns the steps that have ended by it:
// that of a node's end, with those of a body that it gave up, and at the end of the run
// all of which no event has told. The list is overwritten by the next call, the steps are
// not.
func (s *State) Apply(e engine.Event) (ended []*Step) {
	if s.Over() {
		return nil
	}
	s.ended = s.ended[:0]
	if !e.Time.IsZero() {
		s.Told = e.Time
	}
	if e.NodeID == "" {
		s.applyRun(&e)
	} else {
		s.applyNode(&e)
	}
	return s.ended
}

func (s *State) applyRun(e *engine.Event) {
	if e.RunID != "" {
		s.RunID = e.RunID
	}
	if e.WorkflowID != "" {
		s.WorkflowID = e.WorkflowID
	}
	switch {
	case e.Name == engine.EventStarted:
		s.Status = engine.StatusRunning
		if s.Started.IsZero() {
			s.Started = e.Time
		}
	case e.Name.Terminal() && e.Result != nil:
		s.finish(e.Result)
	case e.Name.Terminal():
		s.Status, s.Error, s.Ended, s.Took = engine.StatusCompleted, e.Error, e.Time, max(e.Time.Sub(s.Started), 0)
		if e.Name == engine.EventFailed {
			s.Status = engine.StatusFailed
		}
		s.stop()
	}
}

func (s *State) applyNode(e *engine.Event) {
	switch path := Path(e.NodeID); e.Name {
	case engine.EventStarted:
		s.at(path.Node()).start(path, e.Time)
	case engine.EventProgress:
		n := s.at(path.Node())
		n.progress(path, e)
		if e.Error != nil {
			s.giveUp(n.Inner, path, e.Time, nil)
		}
	case engine.EventNode:
		n := s.at(path.Node())
		s.giveUp(n.Inner, path, e.Time, nil)
		if n.Depth == 0 {
			s.Order = append(s.Order, n.Name)
		}
		s.end(n, n.endOf(path, e))
	case engine.EventCompleted, engine.EventFailed: // are of runs
	}
}

// at returns the node of a name and, if it is new, gives it its place.
func (s *State) at(name string) *Node {
	if n := s.Nodes[name]; n != nil {
		return n
	}
	n := &Node{Name: name, Running: map[Path]*Step{}, Items: map[string]int{}}
	if s.Nodes == nil {
		s.Nodes = map[string]*Node{}
	}
	s.Nodes[name] = n
	if container := Container(name); container != "" {
		outer := s.at(container)
		n.Depth = outer.Depth + 1
		outer.Inner = append(outer.Inner, n)
	} else {
		s.Top = append(s.Top, n)
	}
	return n
}

// end takes over the end of a step.
func (s *State) end(n *Node, step *Step) {
	n.add(step)
	s.ended = append(s.ended, step)
}

// giveUp ends the steps in the body of a step whose call is over: a body that ignores the
// end of its call is not heard any more. They are cancelled, unless they failed.
func (s *State) giveUp(nodes []*Node, container Path, at time.Time, failure *engine.Failure) {
	for _, n := range nodes {
		for _, step := range n.Under() {
			if container == "" || strings.HasPrefix(string(step.Path), string(container)+separator) {
				step.Status, step.Ended, step.Duration = engine.StatusCancelled, at, max(at.Sub(step.Started), 0)
				if failure != nil {
					step.Status, step.Error = engine.StatusFailed, failure
				}
				s.end(n, step)
			}
		}
		s.giveUp(n.Inner, container, at, failure)
	}
}

// stop ends what is still running when the run ends. Where its process died, nobody knows
// what became of that.
func (s *State) stop() {
	var failure *engine.Failure
	if s.Error != nil && s.Error.Code == node.CodeInterrupted {
		failure = interrupted()
	}
	s.giveUp(s.Top, "", s.Ended, failure)
}
