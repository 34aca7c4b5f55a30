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
)

// Begun is a run that is on record, and for which there has to be a task.
type Begun struct {
	RunID, WorkflowID string
	// Pure says that its nodes do nothing but compute.
	Pure bool
}

// errTaskEnded says that a run had a task, which has ended.
var errTaskEnded = errors.New("the task of the run has ended")

// begin makes the task of a run. There is one however often and by whomever it is made: the
// id decides.
func begin(ctx context.Context, c client.Client, b Begun) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: b.RunID, TaskQueue: queue, EnableEagerStart: true,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		Priority:                 temporal.Priority{FairnessKey: fairness(b.WorkflowID)},

		WorkflowExecutionErrorWhenAlreadyStarted: true, // of one that goes on it is none
	}, runName, task{Pure: b.Pure})
	if _, ended := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ended {
		return errTaskEnded
	}
	if err != nil {
		return fmt.Errorf("start a run at Temporal: %w", err)
	}
	return nil
}

// fairness returns what runs of one workflow have in common, for a queue that takes turns
// between workflows. Their ids are texts of users, and may be longer than such a key.
func fairness(workflowID string) string {
	sum := sha256.Sum256([]byte(workflowID))
	return hex.EncodeToString(sum[:16])
}

// wake has a run that only waits driven now. One without a task needs no waking.
func wake(ctx context.Context, c client.Client, runID string) error {
	err := c.SignalWorkflow(ctx, runID, "", wakeName, nil)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none || err == nil {
		return nil
	}
	return fmt.Errorf("wake a run at Temporal: %w", err)
}
