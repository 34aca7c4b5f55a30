package cluster

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// claimName is the id, the name and the queue of the task by which a namespace is a cluster's.
// Nobody ever works on it.
const claimName = "svc.cluster"

// What the task has noted.
const (
	claimCluster  = "cluster"
	claimDatabase = "database"
)

// Claim is whose a namespace at Temporal is: two clusters in one would take each other's runs.
type Claim struct {
	Cluster  string // its name
	Database string // what tells its database from others
}

// ErrOtherCluster says that a namespace is that of another cluster.
var ErrOtherCluster = errors.New("the namespace at Temporal belongs to another cluster")

// Make makes the namespace that of the cluster, unless it is another one's.
func (c Claim) Make(ctx context.Context, t Temporal) error {
	_, err := t.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: claimName, TaskQueue: claimName, Memo: map[string]any{claimCluster: c.Cluster, claimDatabase: c.Database},
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, claimName)
	if err != nil {
		return fmt.Errorf("claim the namespace at Temporal: %w", err)
	}
	is, err := claimOf(ctx, t)
	switch {
	case err != nil:
		return err
	case is.Cluster != c.Cluster:
		return fmt.Errorf("%w, %q, and not to %q", ErrOtherCluster, is.Cluster, c.Cluster)
	case is != c:
		return fmt.Errorf("%w: it is named %q, too, and has another database", ErrOtherCluster, is.Cluster)
	}
	return nil
}

// claimOf returns whose a namespace is; nobody's is the zero Claim.
func claimOf(ctx context.Context, t Temporal) (c Claim, err error) {
	is, err := t.DescribeWorkflowExecution(ctx, claimName, "")
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("ask Temporal whose the namespace is: %w", err)
	}
	info := is.GetWorkflowExecutionInfo()
	if info.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return c, nil
	}
	return Claim{noted(info.GetMemo(), claimCluster), noted(info.GetMemo(), claimDatabase)}, nil
}

// noted returns a text of a memo; "" if there is none.
func noted(m *common.Memo, name string) (text string) {
	_ = converter.GetDefaultDataConverter().FromPayload(m.GetFields()[name], &text) // it is somebody else's then
	return text
}
