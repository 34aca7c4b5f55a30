package run

import (
	"bytes"
	"errors"
	"iter"
	"time"

	"github.com/svcflow/svc/engine"
)

// Outcome is the outcome of a run that is recorded after its end: an [engine.Run].
type Outcome interface {
	ID() string
	Status() engine.Status
	FinishedAt() time.Time
	// Ended returns the number of nodes outside bodies that have ended.
	Ended() int
	Err() *engine.Failure
	Result() *engine.Result
	// AppendBrief appends the brief form of the result, if no output takes more than most
	// bytes; see [engine.Run.AppendBrief].
	AppendBrief(dst []byte, most int) (text []byte, ok bool)
}

// Kept is a run that is recorded after its end: its start and its outcome.
type Kept struct {
	Start   Start
	Outcome Outcome
}

var errNoResult = errors.New("the last frame of a run has no result")

// Events returns the events of a run of which only the outcome is known: its start, the end
// of each node outside bodies, and its own end.
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
				Error: n.Error, Handled: n.Handled, Redacted: n.Redacted, Warnings: n.Warnings, SkippedBecause: n.SkippedBecause, Duration: n.Duration, Attempts: n.Attempts,
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

// endOf returns when a node ended. For a node that was never called, it is the end of the
// run.
func endOf(r *engine.Result, n *engine.NodeResult) time.Time {
	if n.StartedAt.IsZero() {
		return r.FinishedAt
	}
	return n.StartedAt.Add(n.Duration)
}

// Frames returns the frames of [Events].
func Frames(outcome Outcome) iter.Seq[Frame] { return new(Encoder).Frames(outcome) }

// Frames is like the function Frames, for a journal that already has the inputs that c
// encoded.
func (c *Encoder) Frames(outcome Outcome) iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		for e := range Events(outcome.Result()) {
			if !yield(c.Kept(&e)) {
				return
			}
		}
	}
}

// KeptFrames returns the number of frames that [Frames] yields.
func KeptFrames(outcome Outcome) int { return outcome.Ended() + 2 }

// ReadKept returns all frames of a run from its stored result: the brief form or, from an
// earlier release, the JSON of the last frame.
func ReadKept(data []byte) ([]Frame, error) {
	result, last, err := readResult(data)
	if err != nil {
		return nil, err
	}
	var frames []Frame
	for made := range Events(result) {
		if made.Name.Terminal() {
			frames = append(frames, ReadFrame(made.Seq, made.Name, last))
			continue
		}
		frames = append(frames, NewFrame(&made, made.AppendJSON(nil, engine.NoElision)))
	}
	return frames, nil
}

// readResult returns the stored result and the JSON of the last frame.
func readResult(data []byte) (result *engine.Result, last []byte, err error) {
	if bytes.HasPrefix(data, []byte(`{"seq":`)) {
		var e engine.Event
		if err := e.UnmarshalJSON(data); err != nil {
			return nil, nil, err
		}
		if e.Result == nil {
			return nil, nil, errNoResult
		}
		return e.Result, data, nil
	}
	text, err := engine.AppendExpanded(nil, data)
	if err != nil {
		return nil, nil, err
	}
	result = new(engine.Result)
	if err := result.UnmarshalJSON(text); err != nil {
		return nil, nil, err
	}
	e := engine.Event{Name: terminal(result.Status), Seq: len(result.Order) + 2, RunID: result.RunID, Time: result.FinishedAt}
	return result, e.AppendAround(nil, text, result.Error), nil
}
