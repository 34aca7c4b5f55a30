package record

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// MaxMessages is how many messages of nodes are kept, the last ones.
const MaxMessages = 200

// Recorder is the state of a run, with the last steps of its loops and the last messages
// of its nodes, and the clock that it goes by. It belongs to one goroutine. Its zero value
// is not usable; see [New] and [Past].
type Recorder struct {
	*fold.State

	now      func() time.Time
	lag      time.Duration // how far the clock of the run is behind ours, at most
	heard    bool          // lag is known
	lost     time.Time     // when nothing was heard of it any more; zero while it is
	revision int

	steps    map[string]*steps // by node, of those in bodies
	messages ring[Message]
}

// Message is what a node has said while it was running.
type Message struct {
	Path fold.Path
	Time time.Time
	Text string
}

// New returns a recorder of a run that has not started.
func New() *Recorder {
	return &Recorder{State: &fold.State{}, now: time.Now, steps: map[string]*steps{}, messages: ring[Message]{limit: MaxMessages}}
}

// Past returns the recorder of a run that has ended. A result has no steps of loops.
func Past(result *engine.Result) *Recorder {
	r := New()
	r.State = fold.Past(result)
	return r
}

// Apply takes over events, in order.
func (r *Recorder) Apply(events []engine.Event) {
	for i := range events {
		e := &events[i]
		r.hear(e.Time)
		for _, step := range r.State.Apply(*e) {
			r.keep(step)
		}
		if e.NodeID != "" && e.Message != "" {
			r.messages.add(Message{fold.Path(e.NodeID), e.Time, e.Message})
		}
		r.revision++
	}
}

// Revision is a number that grows with every change.
func (r *Recorder) Revision() int { return r.revision }

// Running reports whether the run is going on, as far as is known.
func (r *Recorder) Running() bool { return r.Status == engine.StatusRunning && r.lost.IsZero() }

// Lose says that nothing will be heard of the run any more, although it may go on.
func (r *Recorder) Lose() {
	if r.Running() {
		r.lost = r.Now()
		r.revision++
	}
}

// Find says that more is heard of a run that was lost.
func (r *Recorder) Find() {
	r.lost = time.Time{}
	r.revision++
}

// Lost reports whether the run was lost before its end.
func (r *Recorder) Lost() bool { return !r.lost.IsZero() }

// Now returns the time on the clock of the machine that the run is on; the end of the
// run, once it has ended, and when it was lost if it was.
func (r *Recorder) Now() time.Time {
	switch {
	case !r.Ended.IsZero():
		return r.Ended
	case r.Lost():
		return r.lost
	}
	return r.now().Add(-r.lag)
}

// Duration returns how long the run has taken so far.
func (r *Recorder) Duration() time.Duration {
	switch {
	case r.Took > 0:
		return r.Took
	case r.Started.IsZero():
		return 0
	}
	return max(r.Now().Sub(r.Started), 0)
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
