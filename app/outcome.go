package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Outcome is the outcome of a synchronous run: an [engine.Run], or a recorded one.
type Outcome interface {
	ID() string
	Status() engine.Status
	// Err returns why the run did not complete, or nil.
	Err() *engine.Failure
	// Outputs are those of the workflow, by name.
	Outputs() map[string]any
	// Result is the whole outcome.
	Result() *engine.Result
	// AppendJSON appends the whole outcome in its wire form; see [engine.Run.AppendJSON].
	AppendJSON(dst []byte, elide int) []byte
}

// ErrResultGone means that the request was carried out, but its result is not kept any more.
var ErrResultGone = errors.New("the run of this idempotency key is not kept any more, so its result cannot be told; it is not run again")

// InterruptedError means that the service stopped before the run of a request ended.
type InterruptedError struct{ RunID string }

// Error implements error.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("the run of this idempotency key, %s, was interrupted; resume it, or begin again with a new key", e.RunID)
}

// recorded is the outcome of a run as its journal has it.
type recorded struct {
	app    *App
	result *engine.Result
}

func (r recorded) ID() string              { return r.result.RunID }
func (r recorded) Status() engine.Status   { return r.result.Status }
func (r recorded) Err() *engine.Failure    { return r.result.Error }
func (r recorded) Outputs() map[string]any { return r.result.Outputs }
func (r recorded) Result() *engine.Result  { return r.result }

// AppendJSON implements [Outcome]. It appends the same bytes that reading the run returns.
func (r recorded) AppendJSON(dst []byte, elide int) []byte {
	if text, err := r.app.resultText(context.Background(), r.ID(), elide == engine.NoElision); err == nil {
		return append(dst, text...)
	}
	return r.result.AppendJSON(dst, elide)
}

// executeOnce runs a workflow under an idempotency key and waits for its end, also if the
// same request has begun it.
func (a *App) executeOnce(ctx context.Context, s source, q run.Request) (Outcome, error) {
	id, err := a.once(ctx, s, q, a.place)
	if err != nil {
		return nil, err
	}
	result, err := a.await(ctx, id)
	switch {
	case errors.Is(err, store.ErrRunNotFound):
		return nil, ErrResultGone
	case err != nil:
		return nil, err
	case result.Error != nil && result.Error.Code == node.CodeInterrupted:
		return nil, &InterruptedError{RunID: id}
	}
	return recorded{a, result}, nil
}

// await waits for the end of a recorded run and returns its whole result.
func (a *App) await(ctx context.Context, runID string) (*engine.Result, error) {
	follower, err := a.Follow(ctx, runID, 0)
	for err == nil {
		_, err = follower.Next(ctx)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	record, err := a.Run(ctx, runID)
	switch {
	case err != nil || record.Result != nil:
	case record.Status.GoesOn():
		err = runs.ErrStopping // it waits for another process
	default:
		err = store.ErrRunDamaged
	}
	return record.Result, err
}
