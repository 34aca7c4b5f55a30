package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// Outlook is how Temporal is, for those who look after a cluster.
type Outlook struct {
	Address, Namespace string
	Server             string        // its version
	Retention          time.Duration // how long the histories of runs that have ended are kept
	Claim              Claim         // whose the namespace is; zero if it is nobody's
	Workers            []string      // identities of those that have asked for work in the last minutes, sorted
}

// Look tells how Temporal is.
func Look(ctx context.Context, c Connection) (o Outlook, err error) {
	options, err := c.options()
	if err != nil {
		return o, err
	}
	o.Address, o.Namespace = options.HostPort, options.Namespace
	t, err := Dial(ctx, c)
	if err != nil {
		return o, err
	}
	defer t.Close()
	system, err := t.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return o, fmt.Errorf("ask Temporal which one it is: %w", err)
	}
	o.Server = system.GetServerVersion()
	namespace, err := t.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: o.Namespace})
	if err != nil {
		return o, fmt.Errorf("ask Temporal about the namespace: %w", err)
	}
	o.Retention = namespace.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()
	if o.Claim, err = claimOf(ctx, t); err != nil {
		return o, err
	}
	tasks, err := t.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil {
		return o, fmt.Errorf("ask Temporal who works: %w", err)
	}
	for _, p := range tasks.GetPollers() {
		o.Workers = append(o.Workers, p.GetIdentity())
	}
	slices.Sort(o.Workers)
	o.Workers = slices.Compact(o.Workers)
	return o, nil
}
