package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// sourceRuns is what an App offers to sources of triggers.
type sourceRuns struct{ *App }

// Ended implements [node.Runs].
func (a sourceRuns) Ended(ctx context.Context, since time.Time, after string) ([]node.Ended, string, error) {
	ids, next, err := a.runs.Ended(ctx, since, after)
	if err != nil || len(ids) == 0 {
		return nil, next, err
	}
	if after != "" {
		since = time.Time{}
	}
	told, err := a.tellEnds(ctx, ids, since)
	return told, next, err
}

// tellEnds describes the runs that have ended since a time, without those that are not kept any
// more.
func (a sourceRuns) tellEnds(ctx context.Context, ids []string, since time.Time) (all []node.Ended, err error) {
	for _, id := range ids {
		record, last, err := a.lastFrame(ctx, id)
		if errors.Is(err, store.ErrRunNotFound) || errors.Is(err, store.ErrRunDamaged) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if record.FinishedAt.Before(since.Truncate(time.Millisecond)) { // told long after its end
			continue
		}
		told := node.Ended{RunID: id, WorkflowID: record.WorkflowID, Completed: record.Status == engine.StatusCompleted}
		if record.StartedBy != nil {
			told.StartedBy = record.StartedBy.Type
		}
		if record.Status == engine.StatusFailed && last != nil {
			told.Code = node.CodeFailed
			if e, err := last.Bare(); err == nil && e.Result != nil && e.Result.Error != nil {
				told.Code, told.Message, told.NodeID = cmp.Or(e.Result.Error.Code, told.Code), e.Result.Error.Message, e.Result.Error.NodeID
			}
		}
		all = append(all, told)
	}
	return all, nil
}

// Told implements [node.Runs].
func (a sourceRuns) Told(ctx context.Context, runID string) (inputs, outputs map[string]any, err error) {
	start, err := a.runs.Started(ctx, runID)
	if err != nil {
		return nil, nil, err
	}
	record, err := a.Run(ctx, runID)
	if err != nil {
		return nil, nil, err
	}
	if record.Result != nil {
		outputs = record.Result.Outputs
	}
	return orEmpty(start.Inputs), orEmpty(outputs), nil
}

// RunStored implements [node.Runs].
func (a sourceRuns) RunStored(ctx context.Context, workflowID string) (map[string]any, error) {
	made, err := a.compileStored(ctx, workflowID, nil)
	if problems, invalid := errors.AsType[engine.ValidationErrors](err); invalid {
		return nil, node.Errorf(problems[0].Code, "the workflow %q cannot run: %s", workflowID, problems[0].Message)
	}
	if err != nil {
		return nil, node.Errorf(node.CodeUnavailable, "the workflow %q cannot be loaded: it is not stored, or not readable", workflowID)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	start := run.Start{RunID: id.String(), Stored: true, Definition: made.definition}
	ended, err := a.env.Runner.Run(ctx, made.plan, engine.Options{RunID: start.RunID, State: drive.NewState(&a.env, &start, nil)})
	if problems, invalid := errors.AsType[engine.ValidationErrors](err); invalid {
		return nil, node.Errorf(problems[0].Code, "the workflow %q cannot run by itself: %s", workflowID, problems[0].Message)
	}
	if err != nil {
		return nil, err
	}
	if failure := ended.Err(); failure != nil {
		start.StartedAt, start.Workflows, start.Document = ended.StartedAt(), made.workflows, made.text()
		a.keep(ended, start)
		return nil, node.Errorf(failure.Code, "the workflow %q failed, in the run %s: %s", workflowID, start.RunID, failure.Message)
	}
	return ended.Outputs(), nil
}

var _ node.Runs = sourceRuns{}
