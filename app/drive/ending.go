package drive

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// Conclude brings a run to its end whose own end has not come: as failed, with what is
// recorded of it.
func (r *Run) Conclude(ctx context.Context, cause *node.Error) {
	if r.Over() {
		return
	}
	result, err := r.SoFar(ctx)
	if err != nil {
		r.env.Log.ErrorContext(ctx, "the journal of a run cannot be read", "run", r.Start.RunID, "error", err)
	}
	r.Fail(result, cause) //nolint:contextcheck // the end is written whoever waits
}

// Fail ends a run as failed, with what came of it until then.
func (r *Run) Fail(result *engine.Result, cause *node.Error) {
	r.observe(r.failed(result, cause))
}

// failed returns the last event of a run that fails.
func (r *Run) failed(result *engine.Result, cause *node.Error) engine.Event {
	r.retold = true
	failure := &engine.Failure{Code: cause.Code, Message: cause.Message}
	result.Status, result.Error = engine.StatusFailed, failure
	return engine.Event{Name: engine.EventFailed, RunID: result.RunID, Time: time.Now().UTC(), Error: failure, Result: result}
}

// Last is the last frame of a run that is written with those of other runs, by somebody else.
type Last struct {
	Frame run.Frame

	run   *Run
	event engine.Event
	seen  run.Frame
}

// FailTogether is Fail for a run whose last frame somebody writes together with those of others,
// and then calls [Last.Written] or [Last.Lost].
func (r *Run) FailTogether(result *engine.Result, cause *node.Error) *Last {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := &Last{run: r, event: r.failed(result, cause)}
	last.event.Seq = r.seq + 1
	last.Frame, last.seen = r.encode(&last.event)
	return last
}

// Written ends the run, whose last frame is written.
func (l *Last) Written() {
	l.run.mu.Lock()
	defer l.run.mu.Unlock()
	l.run.written(&l.event, &l.Frame, l.seen)
}

// Lost is told that the last frame is not written: the run can be ended in another way.
func (l *Last) Lost() {
	l.run.mu.Lock()
	defer l.run.mu.Unlock()
	l.run.encoder.Forget(&l.Frame)
}

// EndUnbegun ends a run that does not begin, of which nothing is recorded.
func (r *Run) EndUnbegun(ctx context.Context, status engine.Status, why *engine.Failure) {
	result, _ := r.SoFar(ctx) // it has no frames to be read
	result.Status, result.Error, result.FinishedAt = status, why, time.Now().UTC()
	result.Duration = max(result.FinishedAt.Sub(result.StartedAt), 0)
	r.observe(engine.Event{ //nolint:contextcheck // the end is written whoever waits
		Name: engine.EventFailed, RunID: result.RunID, Time: result.FinishedAt, Error: why, Result: result,
	})
}
