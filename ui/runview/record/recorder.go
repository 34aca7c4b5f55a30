package record

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// MaxMessages is how many messages of nodes are stored, the last ones.
const MaxMessages = 200

// Recorder is the state of a run, with the last steps of its loops and the last messages
// of its nodes, and the clock that it goes by. It belongs to one goroutine. Its zero value
// is not usable; see [New] and [Past].
type Recorder struct {
	*fold.State

	now      func() time.Time
	lag      time.Duration // how far the clock of the run is behind ours, at most
	lagKnown bool          // lag is known
	lost     time.Time     // when the run was lost; zero if it was not
	revision int

	steps    map[string]*steps // by node, for nodes in bodies
	messages ring[Message]
}

// Message is a message of a running node.
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

// Apply applies events, in order.
func (r *Recorder) Apply(events []engine.Event) {
	for i := range events {
		e := &events[i]
		r.measureLag(e.Time)
		for _, step := range r.State.Apply(*e) {
			r.keep(step)
		}
		if e.NodeID != "" && e.Message != "" {
			r.messages.add(Message{fold.Path(e.NodeID), e.Time, e.Message})
		}
		r.revision++
	}
}

// Revision increases with every change.
func (r *Recorder) Revision() int { return r.revision }

// Running reports whether the run is in progress, as far as is known.
func (r *Recorder) Running() bool { return r.Status == engine.StatusRunning && r.lost.IsZero() }

// Lose records that no more events will come, although the run may continue.
func (r *Recorder) Lose() {
	if r.Running() {
		r.lost = r.Now()
		r.revision++
	}
}

// Find records that events of a lost run come again.
func (r *Recorder) Find() {
	r.lost = time.Time{}
	r.revision++
}

// Lost reports whether the run was lost before its end.
func (r *Recorder) Lost() bool { return !r.lost.IsZero() }

// Now returns the time on the clock of the run's machine; the end of the run if it has ended,
// and the time of the loss if it was lost.
func (r *Recorder) Now() time.Time {
	switch {
	case !r.Ended.IsZero():
		return r.Ended
	case r.Lost():
		return r.lost
	}
	return r.now().Add(-r.lag)
}

// Duration returns the duration of the run so far.
func (r *Recorder) Duration() time.Duration {
	switch {
	case r.Took > 0:
		return r.Took
	case r.Started.IsZero():
		return 0
	}
	return max(r.Now().Sub(r.Started), 0)
}

// Messages returns the messages of nodes, oldest first.
func (r *Recorder) Messages() []Message { return r.messages.all() }

// measureLag estimates how far the clock of the events is behind ours. Events may arrive late, so
// the smallest difference counts.
func (r *Recorder) measureLag(at time.Time) {
	if at.IsZero() {
		return
	}
	if lag := r.now().Sub(at); !r.lagKnown || lag < r.lag {
		r.lag, r.lagKnown = lag, true
	}
}
