package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// Connection configures the connection to Temporal. Empty fields are taken from Temporal's own
// variables: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_….
type Connection struct {
	Address, Namespace string
	// Identity is the name of this process in Temporal's tools.
	Identity string
	// Log receives messages of the SDK.
	Log *slog.Logger
}

// Bounds for connecting to Temporal.
const (
	dialWithin   = 10 * time.Second // at process start; later calls wait for it
	redialAtMost = 2 * time.Second  // between attempts to reconnect
)

// Temporal is a connection to Temporal. Close it after use.
type Temporal = client.Client

// ErrNoNamespace means that the namespace does not exist at Temporal.
var ErrNoNamespace = errors.New("there is no such namespace at Temporal")

// Dial connects to Temporal and checks the namespace. The error is [ErrNoNamespace] if there is
// no such namespace.
func Dial(ctx context.Context, c Connection) (Temporal, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	reached, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("cannot reach Temporal at %s (TEMPORAL_ADDRESS): %w", options.HostPort, err)
	}
	if err := namespace(ctx, reached, options.Namespace); err != nil {
		reached.Close()
		return nil, err
	}
	return reached, nil
}

// options merges the connection with Temporal's variables.
func (c Connection) options() (client.Options, error) {
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return options, fmt.Errorf("cannot read the TEMPORAL_… variables: %w", err)
	}
	if c.Address != "" {
		options.HostPort = c.Address
	}
	if c.Namespace != "" {
		options.Namespace = c.Namespace
	}
	if options.HostPort == "" {
		options.HostPort = client.DefaultHostPort
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	if c.Identity != "" {
		options.Identity = c.Identity
	}
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{} // messages are ids and times, which do not compress
	options.Logger = sdklog.NewStructuredLogger(c.Log)
	again := backoff.DefaultConfig
	again.BaseDelay, again.MaxDelay = 200*time.Millisecond, redialAtMost
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions,
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: again, MinConnectTimeout: dialWithin}))
	return options, nil
}

// namespace checks that the namespace exists.
func namespace(ctx context.Context, c client.Client, name string) error {
	_, err := c.CheckHealth(ctx, &client.CheckHealthRequest{})
	if err == nil {
		_, err = c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	}
	if _, none := errors.AsType[*serviceerror.NamespaceNotFound](err); none {
		return fmt.Errorf("%w: %s (TEMPORAL_NAMESPACE); make it, or name another one", ErrNoNamespace, name)
	}
	if err != nil {
		return fmt.Errorf("the namespace %s at Temporal (TEMPORAL_NAMESPACE) cannot be used: %w", name, err)
	}
	return nil
}

// claimName is the id, name and queue of the workflow that marks a namespace as a cluster's. No
// worker runs it.
const claimName = "svc.cluster"

// Keys of the memo of that workflow.
const (
	claimCluster  = "cluster"
	claimDatabase = "database"
)

// Claim identifies the cluster that owns a Temporal namespace. Two clusters in one namespace
// would take each other's runs.
type Claim struct {
	Cluster  string // name of the cluster
	Database string // identity of its database
}

// ErrOtherCluster means that another cluster owns the namespace.
var ErrOtherCluster = errors.New("the namespace at Temporal belongs to another cluster")

// Make claims the namespace. If another cluster has claimed it, the error is [ErrOtherCluster].
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

// claimOf returns the claim of a namespace; the zero Claim if it has none.
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
	return Claim{memoText(info.GetMemo(), claimCluster), memoText(info.GetMemo(), claimDatabase)}, nil
}

// memoText returns a string of a memo; "" if there is none.
func memoText(m *common.Memo, name string) (text string) {
	_ = converter.GetDefaultDataConverter().FromPayload(m.GetFields()[name], &text) // an unreadable claim is another cluster's
	return text
}

// TemporalInfo describes a Temporal namespace for operators.
type TemporalInfo struct {
	Address, Namespace string
	Server             string        // version of the server
	Retention          time.Duration // of histories of ended runs
	Claim              Claim         // owner of the namespace; zero if there is none
	Workers            []string      // identities that polled in the last minutes, sorted
}

// Inspect connects to Temporal and describes it.
func Inspect(ctx context.Context, c Connection) (o TemporalInfo, err error) {
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
