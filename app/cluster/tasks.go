package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Begun is a recorded run that needs a workflow at Temporal.
type Begun struct {
	RunID, WorkflowID string
	// Pure says that no node of the run has side effects.
	Pure bool
}

// errTaskEnded means that the workflow of a run has ended before the run.
var errTaskEnded = errors.New("the task of the run has ended")

// begin starts the workflow of a run. Repeated calls, also of other processes, start one: the
// run's id is the workflow's id.
func begin(ctx context.Context, c client.Client, b Begun) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: b.RunID, TaskQueue: queue, EnableEagerStart: true,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		Priority:                 temporal.Priority{FairnessKey: fairness(b.WorkflowID)},

		WorkflowExecutionErrorWhenAlreadyStarted: true, // not an error for a running workflow: see the conflict policy
	}, runName, task{Pure: b.Pure})
	if _, ended := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ended {
		return errTaskEnded
	}
	if err != nil {
		return fmt.Errorf("start a run at Temporal: %w", err)
	}
	return nil
}

// fairness returns the fairness key of a workflow's runs, by which the queue alternates between
// workflows. It is a hash because ids can be longer than such a key.
func fairness(workflowID string) string {
	sum := sha256.Sum256([]byte(workflowID))
	return hex.EncodeToString(sum[:16])
}

// wake ends the sleep of a run that only waits. A run without a workflow needs no wake.
func wake(ctx context.Context, c client.Client, runID string) error {
	err := c.SignalWorkflow(ctx, runID, "", wakeName, nil)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none || err == nil {
		return nil
	}
	return fmt.Errorf("wake a run at Temporal: %w", err)
}

// Names in Temporal histories. They must never change.
const (
	callName   = "svc.call" // one call; for histories of earlier versions only
	callsName  = "svc.calls"
	answerName = "svc.answer"
)

// callQueue returns the Temporal task queue of a queue.
func callQueue(name string) string { return "svc.call." + name }

// oneCall is the input of the workflow of one call.
type oneCall struct {
	ID    string `json:"id"`
	Queue string `json:"queue"`
}

// callTask is the workflow of one call.
func callTask(ctx workflow.Context, c oneCall) error {
	return callsTask(ctx, CallTask{Queue: c.Queue, Calls: []string{c.ID}})
}

// callsTask is the workflow of placed calls. It ends when all are answered or given up. If a
// worker dies, Temporal retries the call at another.
func callsTask(ctx workflow.Context, t CallTask) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: callQueue(t.Queue), StartToCloseTimeout: forever, HeartbeatTimeout: heartbeatTimeout,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: retryFirst, BackoffCoefficient: 2, MaximumInterval: retryMost},
	})
	made := make([]workflow.Future, len(t.Calls))
	for i, id := range t.Calls {
		made[i] = workflow.ExecuteActivity(ctx, answerName, id)
	}
	var failed error
	for _, f := range made {
		if err := f.Get(ctx, nil); err != nil {
			failed = err
		}
	}
	return failed
}

// callTasks implements [CallTasks] with Temporal.
type callTasks struct{ temporal client.Client }

// Ask implements [CallTasks].
func (c callTasks) Ask(ctx context.Context, t CallTask) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	_, err := c.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: t.ID, TaskQueue: queue, EnableEagerStart: true,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, callsName, t)
	if _, ended := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ended || err == nil {
		return nil
	}
	return fmt.Errorf("place calls at Temporal: %w", err)
}

// Drop implements [CallTasks].
func (c callTasks) Drop(ctx context.Context, t CallTask) error {
	err := c.temporal.CancelWorkflow(ctx, t.ID, "")
	if _, none := errors.AsType[*serviceerror.NotFound](err); none || err == nil {
		return nil
	}
	return fmt.Errorf("give calls up at Temporal: %w", err)
}
