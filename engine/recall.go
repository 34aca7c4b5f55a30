package engine

import (
	"strings"
	"time"
)

// Recorded is what is known of a node from before its run was interrupted.
type Recorded struct {
	NodeResult

	// Seq is the number of the last event that tells of the node: what ended first is what
	// has the smaller number.
	Seq int
	// Permanent says of a failure that no further attempt would mend it.
	Permanent bool
	// Elsewhere says of an attempt that was under way that it goes on: it was led to another
	// process, where whoever calls the node again finds it.
	Elsewhere bool
	// Due is when the next attempt begins, of a node that waits for it.
	Due time.Time
}

// since returns when the attempt began that was under way, or is due.
func (r *Recorded) since() time.Time {
	if r.Due.After(r.StartedAt) {
		return r.Due
	}
	return r.StartedAt
}

// Recall makes of the events of a run that was interrupted what [Options] needs to go on
// with it. It takes the events from the first, in order, and then answers from several
// goroutines. Its zero value is ready for use.
type Recall struct {
	// Began is when the run has begun; zero as long as no event says so.
	Began time.Time
	// Told is when the last event happened.
	Told time.Time

	nodes  map[string]Recorded
	inside map[string]bool // containers of which nodes are known
}

// Apply takes the next event.
func (r *Recall) Apply(e *Event) {
	r.Told = later(r.Told, e.Time)
	switch {
	case e.NodeID == "":
		if e.Name == EventStarted && r.Began.IsZero() {
			r.Began = e.Time
		}
		return
	case r.nodes == nil:
		r.nodes, r.inside = map[string]Recorded{}, map[string]bool{}
	}
	n := r.nodes[e.NodeID]
	switch {
	case e.Name == EventStarted:
		n = Recorded{NodeResult: NodeResult{Status: StatusRunning, StartedAt: e.Time, Attempts: 1}}
	case e.Name == EventNode:
		n = Recorded{Permanent: e.Permanent, NodeResult: NodeResult{
			Status: e.Status, Outputs: e.Outputs, Error: e.Error, Handled: e.Handled, Redacted: e.Redacted,
			SkippedBecause: e.SkippedBecause, StartedAt: e.Time.Add(-e.Duration), Duration: e.Duration, Attempts: e.Attempts,
		}}
	case e.Error != nil: // it is tried again
		n.Attempts, n.Due = n.Attempts+1, e.Time.Add(e.RetryIn)
		r.forgetInside(e.NodeID)
	default:
		return
	}
	n.Seq = e.Seq
	r.nodes[e.NodeID] = n
	if around, ok := containerOf(e.NodeID); ok {
		r.inside[around] = true
	}
}

// Recorded implements [Options.Recorded].
func (r *Recall) Recorded(path string) (Recorded, bool) {
	n, ok := r.nodes[path]
	return n, ok
}

// UnderWay returns how many nodes were being called, without containers of which something is
// known inside, and without those of which elsewhere, if set, says that their call goes on.
func (r *Recall) UnderWay(elsewhere func(path string) bool) (n int) {
	for path, known := range r.nodes {
		called := known.Status == StatusRunning && known.Due.IsZero() && !r.inside[path]
		if called && (elsewhere == nil || !elsewhere(path)) {
			n++
		}
	}
	return n
}

// forgetInside drops what is known of the nodes inside a container, which are called anew
// with the next attempt at it.
func (r *Recall) forgetInside(path string) {
	if !r.inside[path] {
		return
	}
	for p := range r.nodes {
		if strings.HasPrefix(p, path+"/") {
			delete(r.nodes, p)
		}
	}
}

// containerOf returns the path of the container that the node at path is in: that of
// "loop/3/fmt" is "loop".
func containerOf(path string) (string, bool) {
	id := strings.LastIndexByte(path, '/')
	if id < 0 {
		return "", false
	}
	step := strings.LastIndexByte(path[:id], '/')
	return path[:max(step, 0)], step >= 0
}
