package editor

import (
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
)

// Overlay is what a run has done so far, as the canvas shows it. It is fed with the
// events of the run, in order, or with its result.
type Overlay struct {
	Status engine.Status
	RunID  string
	Error  *engine.Failure // why the run failed, once it has ended

	nodes map[string]*NodeRun // by path, without the numbers of steps
}

// NodeRun is what a run has done at one node. In a loop it stands for all steps.
type NodeRun struct {
	Status   engine.Status // of the steps that have ended; see State
	Duration time.Duration // of the last attempt that ended
	Attempts int
	Error    *engine.Failure
	Handled  bool
	Reused   bool
	Skipped  *engine.Skip
	// Step and Total are the progress that the node reports; Total is 0 if it is
	// unknown.
	Step, Total int
	Message     string
	// Running and Done count the steps of a loop that are under way and that have
	// ended.
	Running, Done int

	items map[string]int // output port → how many items it has given
}

// NewOverlay returns an overlay of a run that has not started.
func NewOverlay() *Overlay { return &Overlay{nodes: map[string]*NodeRun{}} }

// PastOverlay returns the overlay of a run that has ended.
func PastOverlay(result *engine.Result) *Overlay {
	o := NewOverlay()
	o.finish(result)
	return o
}

// State returns what a node is doing: running while any step of it is, else the
// worst end of all its steps.
func (n *NodeRun) State() engine.Status {
	if n.Running > 0 {
		return engine.StatusRunning
	}
	return n.Status
}

// Node returns what the run has done at a node; nil if nothing yet.
func (o *Overlay) Node(path []string, id string) *NodeRun { return o.nodes[JoinPath(path, id)] }

// Items returns how many items a port has given: those of a list, else 1, and -1 if
// the value was too large for its event, so that nobody has counted. known is
// false if the port has given nothing yet, and none is true if it never will.
func (o *Overlay) Items(path []string, id, port string) (items int, known, none bool) {
	n := o.Node(path, id)
	if n == nil {
		return 0, false, false
	}
	items, known = n.items[port]
	return items, known, !known && ended(n.State())
}

// Apply takes over one event.
func (o *Overlay) Apply(e engine.Event) {
	switch {
	case e.NodeID == "":
		o.applyRun(e)
		return
	case e.Name == engine.EventStarted:
		o.at(e.NodeID).start()
	case e.Name == engine.EventProgress:
		o.at(e.NodeID).progress(e)
	case e.Name == engine.EventNode:
		o.at(e.NodeID).end(e)
	}
}

func (o *Overlay) applyRun(e engine.Event) {
	if e.RunID != "" {
		o.RunID = e.RunID
	}
	switch {
	case e.Name == engine.EventStarted:
		o.Status = engine.StatusRunning
	case e.Name.Terminal() && e.Result != nil:
		o.finish(e.Result)
	case e.Name.Terminal():
		o.Status, o.Error = engine.StatusCompleted, e.Error
		if e.Name == engine.EventFailed {
			o.Status = engine.StatusFailed
		}
	}
}

// finish takes over what a result says of nodes that no event has told of.
func (o *Overlay) finish(r *engine.Result) {
	o.RunID, o.Status, o.Error = r.RunID, r.Status, r.Error
	for id := range r.Nodes {
		n, seen := r.Nodes[id], o.nodes[id]
		if seen != nil && ended(seen.State()) {
			continue
		}
		o.nodes[id] = &NodeRun{
			Status: n.Status, Duration: n.Duration, Attempts: n.Attempts, Error: n.Error, Handled: n.Handled,
			Skipped: n.SkippedBecause, items: countItems(nil, n.Outputs),
		}
	}
}

// at returns the record of the node that an event names.
func (o *Overlay) at(id string) *NodeRun {
	key := NodePath(id)
	n := o.nodes[key]
	if n == nil {
		n = &NodeRun{}
		o.nodes[key] = n
	}
	return n
}

func (n *NodeRun) start() {
	n.Running++
	n.Message = ""
}

func (n *NodeRun) progress(e engine.Event) {
	n.Message = e.Message
	if e.Total > 0 || e.Step > 0 {
		n.Step, n.Total = e.Step, e.Total
	}
	if e.Error != nil {
		n.Error = e.Error
	}
}

// end counts a step that has ended. The worst end of all steps is shown.
func (n *NodeRun) end(e engine.Event) {
	n.Running = max(n.Running-1, 0)
	n.Done++
	n.Duration, n.Attempts, n.Handled, n.Reused = e.Duration, e.Attempts, e.Handled, e.Reused
	n.items = countItems(n.items, e.Outputs)
	worse := n.Done == 1 || Severity(e.Status) >= Severity(n.Status)
	if worse {
		n.Status, n.Error, n.Skipped = e.Status, e.Error, e.SkippedBecause
	}
}

// Severity orders the ends of a node, the worst last; one that is not over yet is the
// least, 0.
func Severity(s engine.Status) int {
	switch s {
	case engine.StatusFailed:
		return 4
	case engine.StatusCancelled:
		return 3
	case engine.StatusSucceeded:
		return 2
	case engine.StatusSkipped:
		return 1
	default:
		return 0
	}
}

func ended(s engine.Status) bool { return Severity(s) > 0 }

// countItems adds what outputs hold to counts.
func countItems(counts map[string]int, outputs map[string]any) map[string]int {
	if counts == nil {
		counts = make(map[string]int, len(outputs))
	}
	for port, v := range outputs {
		switch v := v.(type) {
		case []any:
			counts[port] += len(v)
		case map[string]any:
			if _, elided := v["$elided"]; elided {
				counts[port] = -1
			} else {
				counts[port]++
			}
		default:
			counts[port]++
		}
	}
	return counts
}

// NodePath turns the path of an event, "loop/3/fmt", into that of the node, "loop/fmt".
func NodePath(id string) string {
	if !strings.Contains(id, "/") {
		return id
	}
	parts := strings.Split(id, "/")
	kept := parts[:0]
	for i, part := range parts {
		if i%2 == 0 {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/")
}
