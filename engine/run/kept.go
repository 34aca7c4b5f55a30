package run

import (
	"errors"
	"iter"
	"time"

	"github.com/svcflow/svc/engine"
)

// Outcome is what came of a run that is recorded after its end: an [engine.Run].
type Outcome interface {
	ID() string
	Status() engine.Status
	FinishedAt() time.Time
	// Ended returns of how many nodes outside of bodies the outcome tells the end.
	Ended() int
	Err() *engine.Failure
	Result() *engine.Result
	// Exceeds reports whether some output surely takes more than n bytes of JSON.
	Exceeds(n int) bool
	AppendJSON(dst []byte, elide int) []byte
}

// Kept is a run that is recorded after its end: what it was started with, and what came of it.
type Kept struct {
	Start   Start
	Outcome Outcome
}

var errNoResult = errors.New("the last frame of a run has no result")

// Events returns the events of a run of which no more than its outcome is known: its
// start, the end of each node outside of bodies, and its own end.
func Events(r *engine.Result) iter.Seq[engine.Event] {
	return func(yield func(engine.Event) bool) {
		e := engine.Event{Name: engine.EventStarted, Seq: 1, RunID: r.RunID, Time: r.StartedAt, WorkflowID: r.WorkflowID}
		if !yield(e) {
			return
		}
		for _, id := range r.Order {
			n, seq := r.Nodes[id], e.Seq+1
			e = engine.Event{
				Name: engine.EventNode, Seq: seq, RunID: r.RunID, Time: endOf(r, &n), NodeID: id, Status: n.Status, Outputs: n.Outputs,
				Error: n.Error, Handled: n.Handled, Redacted: n.Redacted, SkippedBecause: n.SkippedBecause, Duration: n.Duration, Attempts: n.Attempts,
			}
			if !yield(e) {
				return
			}
		}
		last := engine.Event{Name: terminal(r.Status), Seq: e.Seq + 1, RunID: r.RunID, Time: r.FinishedAt, Result: r, Error: r.Error}
		yield(last)
	}
}

func terminal(s engine.Status) engine.EventName {
	if s == engine.StatusCompleted {
		return engine.EventCompleted
	}
	return engine.EventFailed
}

// endOf returns when a node ended; of one that was never called, when the run did.
func endOf(r *engine.Result, n *engine.NodeResult) time.Time {
	if n.StartedAt.IsZero() {
		return r.FinishedAt
	}
	return n.StartedAt.Add(n.Duration)
}

// Frames returns the frames of those events.
func Frames(outcome Outcome) iter.Seq[Frame] { return new(Encoder).Frames(outcome) }

// Frames is the function of that name for a journal that has the inputs already which c has
// made.
func (c *Encoder) Frames(outcome Outcome) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		for e := range Events(outcome.Result()) {
			if !yield(c.Kept(&e)) {
				return
			}
		}
	}
}

// KeptFrames is how many of those frames there are.
func KeptFrames(outcome Outcome) int { return outcome.Ended() + 2 }

// AppendKept appends the JSON of the last of those frames, around that of the result.
func AppendKept(dst []byte, outcome Outcome, result []byte) []byte {
	e := engine.Event{Name: terminal(outcome.Status()), Seq: KeptFrames(outcome), RunID: outcome.ID(), Time: outcome.FinishedAt()}
	return e.AppendAround(dst, result, outcome.Err())
}

// ReadKept returns all frames of a run, of which such a frame was kept.
func ReadKept(data []byte) ([]Frame, error) {
	var e engine.Event
	if err := e.UnmarshalJSON(data); err != nil {
		return nil, err
	}
	if e.Result == nil {
		return nil, errNoResult
	}
	var frames []Frame
	for made := range Events(e.Result) {
		if made.Name.Terminal() {
			f := ReadFrame(made.Seq, made.Name, data)
			frames = append(frames, f)
			continue
		}
		frames = append(frames, NewFrame(&made, made.AppendJSON(nil, engine.NoElision)))
	}
	return frames, nil
}
