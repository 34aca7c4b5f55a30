package cluster

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The names that histories have for ever, as those of runs.
const (
	callName   = "svc.call" // of one call; none begin any more
	callsName  = "svc.calls"
	answerName = "svc.answer"
)

// callQueue is the queue at Temporal of those who answer a queue.
func callQueue(name string) string { return "svc.call." + name }

// oneCall is what the task of one call was started with.
type oneCall struct {
	ID    string `json:"id"`
	Queue string `json:"queue"`
}

// callTask is the workflow of one call.
func callTask(ctx workflow.Context, c oneCall) error {
	return callsTask(ctx, CallTask{Queue: c.Queue, Calls: []string{c.ID}})
}

// callsTask is the workflow of placed calls. It ends when all are answered, or given up. Who
// answers and dies is followed by another one.
func callsTask(ctx workflow.Context, t CallTask) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: callQueue(t.Queue), StartToCloseTimeout: forever, HeartbeatTimeout: silence,
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

// callTasks has placed calls answered by workers of Temporal.
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
