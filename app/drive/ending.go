package drive

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// Conclude ends a run as failed, with its recorded result, unless it has ended.
func (r *Run) Conclude(ctx context.Context, cause *node.Error) {
	if r.Over() {
		return
	}
	result, err := r.RecordedResult(ctx)
	if err != nil {
		r.env.Log.ErrorContext(ctx, "the journal of a run cannot be read", "run", r.Start.RunID, "error", err)
	}
	r.Fail(result, cause) //nolint:contextcheck // the end is written even if the caller has left
}

// Fail ends a run as failed with a result.
func (r *Run) Fail(result *engine.Result, cause *node.Error) {
	r.observe(r.failed(result, cause))
}

// failed returns the terminal event of a failed run.
func (r *Run) failed(result *engine.Result, cause *node.Error) engine.Event {
	r.endFromJournal = true
	failure := &engine.Failure{Code: cause.Code, Message: cause.Message}
	result.Status, result.Error = engine.StatusFailed, failure
	return engine.Event{Name: engine.EventFailed, RunID: result.RunID, Time: time.Now().UTC(), Error: failure, Result: result}
}

// Last is the terminal frame of a run that the caller writes together with those of other runs.
type Last struct {
	Frame run.Frame

	run   *Run
	event engine.Event
	shown run.Frame
}

// PrepareFail is Fail without the write: the caller appends the frame, then calls [Last.Written]
// or [Last.Failed].
func (r *Run) PrepareFail(result *engine.Result, cause *node.Error) *Last {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := &Last{run: r, event: r.failed(result, cause)}
	last.event.Seq = r.seq + 1
	last.Frame, last.shown = r.encode(&last.event)
	return last
}

// Written ends the run after its frame was written.
func (l *Last) Written() {
	l.run.mu.Lock()
	defer l.run.mu.Unlock()
	l.run.written(&l.event, &l.Frame, l.shown)
}

// Failed takes the frame back after it could not be written. The run can be ended in another way.
func (l *Last) Failed() {
	l.run.mu.Lock()
	defer l.run.mu.Unlock()
	l.run.encoder.Forget(&l.Frame)
}

// EndUnstarted ends a run that never started, so that it has no frames.
func (r *Run) EndUnstarted(ctx context.Context, status engine.Status, why *engine.Failure) {
	result, _ := r.RecordedResult(ctx) // cannot fail: there are no frames
	result.Status, result.Error, result.FinishedAt = status, why, time.Now().UTC()
	result.Duration = max(result.FinishedAt.Sub(result.StartedAt), 0)
	r.observe(engine.Event{ //nolint:contextcheck // the end is written even if the caller has left
		Name: engine.EventFailed, RunID: result.RunID, Time: result.FinishedAt, Error: why, Result: result,
	})
}
