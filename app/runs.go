package app

import (
	"context"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// Start starts an asynchronous run of def and returns its id, by which it can be
// followed. The run continues after ctx has ended, and keeps what it is given. An
// invalid workflow and unusable inputs are [engine.ValidationErrors]; then, as
// after any other error, nothing was started.
func (a *App) Start(ctx context.Context, def *workflow.Definition, q run.Request) (runID string, err error) {
	return a.once(ctx, source{kind: ofDefinition, definition: def}, q, nil)
}

// StartJSON is Start for a document's text, as [App.ExecuteJSON] takes it.
func (a *App) StartJSON(ctx context.Context, text []byte, q run.Request) (runID string, err error) {
	return a.once(ctx, source{kind: ofText, text: text}, q, nil)
}

// StartStored is Start for a stored workflow; one that is not there is
// workflow.ErrNotFound.
func (a *App) StartStored(ctx context.Context, workflowID string, q run.Request) (runID string, err error) {
	return a.once(ctx, source{kind: ofStored, id: workflowID}, q, nil)
}

// Runs describes recorded runs, newest first, without their results.
func (a *App) Runs(ctx context.Context, q run.Query) (run.Page, error) {
	return a.runs.Records(ctx, q)
}

// AddFailures sets the errors of the failed runs among records. A run whose end cannot be read is
// left without one.
func (a *App) AddFailures(ctx context.Context, records []run.Record) {
	for i := range records {
		r := &records[i]
		if r.Status != engine.StatusFailed {
			continue
		}
		_, last, err := a.lastFrame(ctx, r.RunID)
		if err != nil || last == nil {
			continue
		}
		if e, err := last.Bare(); err == nil {
			r.Error = e.Error
		}
	}
}

// RunWorkflow returns the workflow of a recorded run as it was started, with
// its overrides.
func (a *App) RunWorkflow(ctx context.Context, runID string) (*workflow.Definition, error) {
	start, err := a.runs.Started(ctx, runID)
	return start.Definition, err
}

// RunInputs returns what an asynchronous run was started with.
func (a *App) RunInputs(ctx context.Context, runID string) (map[string]any, error) {
	start, err := a.runs.Started(ctx, runID)
	return orEmpty(start.Inputs), err
}

// Cancel ends an asynchronous run as cancelled: within a second if it is running, at once if it is
// waiting. It does not wait for the end, and it may be repeated. After the end the error is
// [runs.ErrRunEnded].
func (a *App) Cancel(ctx context.Context, runID string) error {
	err := a.runs.Cancel(ctx, runID)
	if err == nil && a.triggers != nil {
		a.triggers.Forget(runID)
	}
	return err
}

// DeleteRun removes a run that has ended, with its files. An unfinished run is
// [store.ErrRunRunning]. Its idempotency key stays in use.
func (a *App) DeleteRun(ctx context.Context, runID string) error {
	if err := a.runs.Delete(ctx, runID); err != nil {
		return err
	}
	if err := a.removeFiles(runID); err != nil {
		a.log.WarnContext(ctx, "the files of a run that was deleted cannot be removed", "run", runID, "error", err)
	}
	return nil
}

// Stats returns what the App is doing now.
func (a *App) Stats() runs.Stats {
	s := a.runs.Stats()
	s.Sync = a.admission.Taken(&a.syncSlots)
	return s
}

// Recover waits until runs can be started. By then the runs that an earlier process left
// unfinished have ended as failed, with the code interrupted; [New] starts this. The error names
// runs that could not be ended; they stay unfinished.
func (a *App) Recover(ctx context.Context) error { return a.runs.Ready(ctx) }
