package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
)

// Connection says how a process reaches Temporal. What it leaves out, Temporal's own
// variables say: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_….
type Connection struct {
	Address, Namespace string
	// Identity is what operators see of this process at Temporal.
	Identity string
	// Log takes what the SDK has to say.
	Log *slog.Logger
}

// Bounds of reaching Temporal.
const (
	dialWithin   = 10 * time.Second // at the start of a process; later it is waited for
	redialAtMost = 2 * time.Second  // between attempts to reach it again
)

// Temporal is a connection to it.
type Temporal = client.Client

// ErrNoNamespace says that Temporal has no namespace of that name.
var ErrNoNamespace = errors.New("there is no such namespace at Temporal")

// Dial reaches Temporal, and finds the namespace there.
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

// options returns what the connection and the variables say.
func (c Connection) options() (client.Options, error) {
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return options, fmt.Errorf("the variables TEMPORAL_… cannot be used: %w", err)
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
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{} // messages are ids and times, which do not get shorter
	options.Logger = sdklog.NewStructuredLogger(c.Log)
	again := backoff.DefaultConfig
	again.BaseDelay, again.MaxDelay = 200*time.Millisecond, redialAtMost
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions,
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: again, MinConnectTimeout: dialWithin}))
	return options, nil
}

// namespace makes sure that there is the namespace.
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
