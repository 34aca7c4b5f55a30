package servers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"

	"github.com/svcflow/svc/store/postgres/private"
)

// Namespace is the only namespace of a [Temporal].
const Namespace = "default"

// loopback is the only interface the servers listen on, since they require no password.
const loopback = "127.0.0.1"

// Internal names of the server.
const (
	clusterName = "active"
	dataStore   = "data"
)

// Temporal is a Temporal server in this process that stores its data in a file. Make one with
// [StartTemporal].
type Temporal struct {
	server  temporal.Server
	address string
}

// TemporalConfig configures a [Temporal].
type TemporalConfig struct {
	// File is the database file of the server. It is created if necessary.
	File string
	// Port is the port for clients; 0 means a free one.
	Port int
	// Log is the file for warnings; empty discards them.
	Log string
}

// StartTemporal starts a server and waits until it serves clients.
func StartTemporal(ctx context.Context, c TemporalConfig) (*Temporal, error) {
	ports, err := private.FreePorts(4)
	if err != nil {
		return nil, err
	}
	if c.Port != 0 {
		ports[0] = c.Port
	}
	store, err := prepare(c.File)
	if err != nil {
		return nil, fmt.Errorf("Temporal's file: %w", err)
	}
	options, err := options(c, store, ports)
	if err != nil {
		return nil, err
	}
	server, err := temporal.NewServer(options...)
	if err != nil {
		return nil, fmt.Errorf("Temporal's server: %w", err)
	}
	if err := server.Start(); err != nil {
		return nil, fmt.Errorf("start Temporal's server: %w", err)
	}
	t := &Temporal{server, address(ports[0])}
	if err := answers(ctx, t.address); err != nil {
		return nil, errors.Join(err, t.Stop())
	}
	return t, nil
}

// Address returns the address for clients.
func (t *Temporal) Address() string { return t.address }

// Stop stops the server and keeps its file.
func (t *Temporal) Stop() error { return t.server.Stop() }

// prepare creates the file with its tables and the namespace, unless it exists. It renames the file
// into place once it is complete, so an interrupted start leaves no broken file.
func prepare(file string) (*config.SQL, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := setUp(file); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return database(file), nil
}

func setUp(file string) error {
	unfinished := file + ".new"
	for _, left := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(unfinished + left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	store := database(unfinished)
	delete(store.ConnectAttributes, "journal_mode") // everything in one file, which is then renamed
	if err := sqlite.SetupSchema(store); err != nil {
		return err
	}
	namespace, err := sqlite.NewNamespaceConfig(clusterName, Namespace, false, nil)
	if err != nil {
		return err
	}
	if err := sqlite.CreateNamespaces(store, namespace); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}

func database(file string) *config.SQL {
	return &config.SQL{
		PluginName: sqliteplugin.PluginName, DatabaseName: file,
		ConnectAttributes: map[string]string{"mode": "rwc", "journal_mode": "wal", "synchronous": "normal", "busy_timeout": "10000"},
	}
}

func options(c TemporalConfig, store *config.SQL, ports []int) ([]temporal.ServerOption, error) {
	made := configuration(store, ports)
	authorizer, err := authorization.GetAuthorizerFromConfig(&made.Global.Authorization)
	if err != nil {
		return nil, err
	}
	var logger log.Logger = log.NewNoopLogger()
	if c.Log != "" {
		logger = log.NewZapLogger(log.BuildZapLogger(log.Config{Level: "warn", OutputFile: c.Log}))
	}
	return []temporal.ServerOption{
		temporal.WithConfig(made), temporal.ForServices(temporal.DefaultServices), temporal.WithLogger(logger),
		temporal.WithAuthorizer(authorizer), temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.HistoryCacheHostLevelMaxSize.Key():                 8096, // enough for a small machine
			dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,
		}),
		temporal.WithStaticHosts(map[primitives.ServiceName]static.Hosts{
			primitives.FrontendService: static.SingleLocalHost(address(ports[0])),
			primitives.HistoryService:  static.SingleLocalHost(address(ports[1])),
			primitives.MatchingService: static.SingleLocalHost(address(ports[2])),
			primitives.WorkerService:   static.SingleLocalHost(address(ports[3])),
		}),
	}, nil
}

func configuration(store *config.SQL, ports []int) *config.Config {
	c := &config.Config{Services: map[string]config.Service{}}
	for i, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		c.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: ports[i], BindOnIP: loopback}}
	}
	c.Global.Membership.MaxJoinDuration = 30 * time.Second
	c.Global.Membership.BroadcastAddress = loopback
	c.Persistence.NumHistoryShards = 1
	c.Persistence.DefaultStore, c.Persistence.VisibilityStore = dataStore, dataStore
	c.Persistence.DataStores = map[string]config.DataStore{dataStore: {SQL: store}}
	c.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address(ports[0])},
		},
	}
	c.DCRedirectionPolicy.Policy = "noop"
	const off = "disabled"
	c.Archival.History.State, c.Archival.Visibility.State = off, off
	c.NamespaceDefaults.Archival.History.State, c.NamespaceDefaults.Archival.Visibility.State = off, off
	c.PublicClient.HostPort = address(ports[0])
	return c
}

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
