package record

import (
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/editor"
)

// MaxMessages is how many messages of nodes are kept, the last ones.
const MaxMessages = 200

// Recorder is a run as far as its events have told. It belongs to one goroutine. Its
// zero value is of no use; see [New] and [Past].
type Recorder struct {
	RunID, WorkflowID string
	Status            engine.Status // pending before the first event
	Error             *engine.Failure
	Outputs           map[string]any // of the workflow, once the run has ended
	// Started and Ended are by the clock of the machine that the run is on; zero if
	// the run has not started or ended.
	Started, Ended time.Time

	now      func() time.Time
	lag      time.Duration // how far that clock is behind ours, at most
	heard    bool          // lag is known
	took     time.Duration // of a run that has ended
	revision int

	nodes    map[string]*Node
	top      []*Node // in order of start
	rows     []*Node // nil if it has to be made anew
	messages ring[Message]
}

// Message is what a node has said while it was running.
type Message struct {
	Path string // of the step: "loop/3/fmt"
	Time time.Time
	Text string
}

// New returns a recorder of a run that has not started.
func New() *Recorder {
	return &Recorder{now: time.Now, nodes: map[string]*Node{}, messages: ring[Message]{limit: MaxMessages}}
}

// Past returns the recorder of a run that has ended. A result tells nothing of the
// steps of loops.
func Past(result *engine.Result) *Recorder {
	r := New()
	r.finish(result)
	r.revision++
	return r
}

// Apply takes over events, in order.
func (r *Recorder) Apply(events []engine.Event) {
	for i := range events {
		e := &events[i]
		r.hear(e.Time)
		if e.NodeID == "" {
			r.applyRun(e)
		} else {
			r.applyNode(e)
		}
		r.revision++
	}
}

// Revision is a number that grows with every change.
func (r *Recorder) Revision() int { return r.revision }

// Running reports whether the run is going on.
func (r *Recorder) Running() bool { return r.Status == engine.StatusRunning }

// Now returns the time on the clock of the machine that the run is on; the end of the
// run, once it has ended.
func (r *Recorder) Now() time.Time {
	if !r.Ended.IsZero() {
		return r.Ended
	}
	return r.now().Add(-r.lag)
}

// Duration returns how long the run has taken so far.
func (r *Recorder) Duration() time.Duration {
	switch {
	case r.took > 0:
		return r.took
	case r.Started.IsZero():
		return 0
	}
	return max(r.Now().Sub(r.Started), 0)
}

// Node returns the node at a path without the numbers of steps, "loop/fmt"; nil if
// the run has not come to it.
func (r *Recorder) Node(path string) *Node { return r.nodes[path] }

// Rows returns all nodes in order of their start, the nodes of a body below their
// container. The caller must not change it.
func (r *Recorder) Rows() []*Node {
	if r.rows == nil {
		r.rows = appendRows(make([]*Node, 0, len(r.nodes)), r.top)
	}
	return r.rows
}

func appendRows(rows, nodes []*Node) []*Node {
	for _, n := range nodes {
		rows = appendRows(append(rows, n), n.inner)
	}
	return rows
}

// Messages returns what the nodes have said, the oldest first.
func (r *Recorder) Messages() []Message { return r.messages.all() }

// hear keeps how far the clock of the events is behind ours. Events may be old when
// they come, so the one that was on the way for the shortest time counts.
func (r *Recorder) hear(at time.Time) {
	if at.IsZero() {
		return
	}
	if lag := r.now().Sub(at); !r.heard || lag < r.lag {
		r.lag, r.heard = lag, true
	}
}

func (r *Recorder) applyRun(e *engine.Event) {
	if e.RunID != "" {
		r.RunID = e.RunID
	}
	if e.WorkflowID != "" {
		r.WorkflowID = e.WorkflowID
	}
	switch {
	case e.Name == engine.EventStarted:
		r.Status, r.Started = engine.StatusRunning, e.Time
	case e.Name.Terminal() && e.Result != nil:
		r.finish(e.Result)
	case e.Name.Terminal():
		r.Status, r.Error, r.Ended = engine.StatusCompleted, e.Error, e.Time
		if e.Name == engine.EventFailed {
			r.Status = engine.StatusFailed
		}
		r.stop()
	}
}

func (r *Recorder) applyNode(e *engine.Event) {
	n := r.at(editor.NodePath(e.NodeID))
	switch e.Name {
	case engine.EventStarted:
		n.start(e)
	case engine.EventProgress:
		n.progress(e)
		if e.Message != "" {
			r.messages.add(Message{e.NodeID, e.Time, e.Message})
		}
	case engine.EventNode:
		n.end(e)
	case engine.EventCompleted, engine.EventFailed: // are of runs
	}
}

// at returns the node at a path and, if it is new, gives it its place.
func (r *Recorder) at(path string) *Node {
	if n := r.nodes[path]; n != nil {
		return n
	}
	n := &Node{Path: path, steps: ring[*Step]{limit: MaxSteps}}
	r.nodes[path] = n
	r.rows = nil
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		outer := r.at(path[:i])
		n.Depth = outer.Depth + 1
		outer.inner = append(outer.inner, n)
	} else {
		r.top = append(r.top, n)
	}
	return n
}

// finish takes over a result. Of nodes whose end was told by an event it says nothing
// new.
func (r *Recorder) finish(result *engine.Result) {
	r.RunID, r.WorkflowID, r.Status, r.Error = result.RunID, result.WorkflowID, result.Status, result.Error
	r.Started, r.Ended, r.took, r.Outputs = result.StartedAt, result.FinishedAt, result.Duration, result.Outputs
	for _, id := range byStart(result) {
		n, outcome := r.at(id), result.Nodes[id]
		if n.Done == 0 {
			n.settle(&outcome)
		}
	}
	r.stop()
}

// stop ends what nobody will tell the end of.
func (r *Recorder) stop() {
	for _, n := range r.nodes {
		n.stop(r.Ended)
	}
}

// byStart returns the nodes of a result in order of their start. A node that never
// started comes where it was settled.
func byStart(result *engine.Result) []string {
	starts := make(map[string]time.Time, len(result.Nodes))
	ids := make([]string, 0, len(result.Nodes))
	var last time.Time
	for _, id := range result.Order {
		n, known := result.Nodes[id]
		if _, twice := starts[id]; !known || twice {
			continue
		}
		if n.StartedAt.IsZero() {
			n.StartedAt = last
		} else if end := n.StartedAt.Add(n.Duration); end.After(last) {
			last = end
		}
		starts[id] = n.StartedAt
		ids = append(ids, id)
	}
	var rest []string
	for id := range result.Nodes {
		if _, known := starts[id]; !known {
			rest = append(rest, id)
		}
	}
	slices.Sort(rest)
	slices.SortStableFunc(ids, func(a, b string) int { return starts[a].Compare(starts[b]) })
	return append(ids, rest...)
}
