package fold

import (
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// State is the state of a run according to its events. The zero State is a run without
// events. It belongs to one goroutine, and only [State.Apply] changes it.
type State struct {
	RunID, WorkflowID string
	Status            engine.Status // pending before the first event
	Error             *engine.Failure
	Outputs           map[string]any // of the workflow, once the run has ended
	// Started and Ended are times on the clock of the run's machine; zero if the run has
	// not started or ended. Told is the time of the last event.
	Started, Ended, Told time.Time
	Took                 time.Duration // duration of an ended run, on the monotonic clock
	Order                []string      // nodes outside all bodies, in the order they ended

	// Nodes are all nodes with events, by name: "loop/fmt".
	Nodes map[string]*Node
	// Top are the nodes outside all bodies, in the order of their first events; see
	// [Node.Inner].
	Top []*Node

	ended []*Step // returned by Apply
}

// Past returns the state of an ended run from its result, which has no nodes inside bodies.
func Past(result *engine.Result) *State {
	s := &State{}
	s.finish(result)
	return s
}

// Over reports whether the run has ended. Nothing changes afterwards.
func (s *State) Over() bool {
	return s.Status == engine.StatusCompleted || s.Status == engine.StatusFailed || s.Status == engine.StatusCancelled
}

// Node returns the node called name, such as "loop/fmt"; nil if it has no events or s is
// nil.
func (s *State) Node(name string) *Node {
	if s == nil {
		return nil
	}
	return s.Nodes[name]
}

// Rows returns all nodes in the order of their first events, those of a body after their
// container.
func (s *State) Rows() []*Node { return appendRows(make([]*Node, 0, len(s.Nodes)), s.Top) }

func appendRows(rows, nodes []*Node) []*Node {
	for _, n := range nodes {
		rows = appendRows(append(rows, n), n.Inner)
	}
	return rows
}

// Apply applies the next event of the run and returns the steps that it ends: the step of a
// node's end event, with abandoned steps in its body; at the end of the run, all steps
// without an end event. The next call overwrites the slice, but not the steps.
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
	case engine.EventCompleted, engine.EventFailed: // only runs have these
	}
}

// at returns the node called name, and adds it if it is new.
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

// end records the end of a step.
func (s *State) end(n *Node, step *Step) {
	n.add(step)
	s.ended = append(s.ended, step)
}

// giveUp ends the running steps in the body of a step whose call has ended: a body that
// ignores the end of its call emits no more events. The steps are cancelled, or failed if
// failure is set.
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

// stop ends all running steps when the run ends. If its process died, their outcome is
// unknown.
func (s *State) stop() {
	var failure *engine.Failure
	if s.Error != nil && s.Error.Code == node.CodeInterrupted {
		failure = interrupted()
	}
	s.giveUp(s.Top, "", s.Ended, failure)
}
