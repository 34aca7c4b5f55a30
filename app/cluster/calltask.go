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
	callName   = "svc.call"
	answerName = "svc.answer"
)

// callQueue is the queue at Temporal of those who answer a queue.
func callQueue(name string) string { return "svc.call." + name }

// callTask is the workflow of a placed call. It ends when that is answered, or given up. Who
// answers and dies is followed by another one.
func callTask(ctx workflow.Context, c CallTask) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: callQueue(c.Queue), StartToCloseTimeout: forever, HeartbeatTimeout: silence,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: retryFirst, BackoffCoefficient: 2, MaximumInterval: retryMost},
	})
	return workflow.ExecuteActivity(ctx, answerName, c.ID).Get(ctx, nil)
}

// callTasks has placed calls answered by workers of Temporal.
type callTasks struct{ temporal client.Client }

// Ask implements [CallTasks].
func (t callTasks) Ask(ctx context.Context, c CallTask) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	_, err := t.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: c.ID, TaskQueue: queue,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, callName, c)
	if _, ended := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ended || err == nil {
		return nil
	}
	return fmt.Errorf("place a call at Temporal: %w", err)
}

// Drop implements [CallTasks].
func (t callTasks) Drop(ctx context.Context, c CallTask) error {
	err := t.temporal.CancelWorkflow(ctx, c.ID, "")
	if _, none := errors.AsType[*serviceerror.NotFound](err); none || err == nil {
		return nil
	}
	return fmt.Errorf("give a call up at Temporal: %w", err)
}
