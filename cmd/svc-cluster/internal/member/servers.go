// Package member makes a process part of a cluster, as an instance or as a worker. It connects to
// the two servers that all processes share, Temporal and PostgreSQL.
package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
)

// Servers has the flags for the servers of a cluster and its name.
type Servers struct {
	Postgres  string `variable:"SVC_POSTGRES" placeholder:"URL" help:"PostgreSQL database of the cluster, such as postgres://svc@db.example.com/svc. Better give the password in PGPASSWORD or ~/.pgpass."`
	Temporal  string `variable:"SVC_TEMPORAL" placeholder:"HOST:PORT" help:"Temporal's frontend; else $$TEMPORAL_ADDRESS, else 127.0.0.1:7233. TLS and API keys for it are given by Temporal's own variables, $$TEMPORAL_TLS… and $$TEMPORAL_API_KEY."`
	Namespace string `variable:"SVC_NAMESPACE" placeholder:"NAME" help:"Namespace at Temporal; else $$TEMPORAL_NAMESPACE, else default."`
	Cluster   string `default:"svc" variable:"SVC_CLUSTER" placeholder:"NAME" help:"Name of the cluster. The database belongs to the first one that uses it, and others are refused."`
}

// Validate implements kong.Validatable.
func (s *Servers) Validate() error {
	if s.Postgres == "" {
		return program.Usagef("name the database of the cluster by --postgres URL or in SVC_POSTGRES")
	}
	return nil
}

// reachWithin is how long a process tries to reach its servers at its start. Later it waits for
// them without a limit.
const reachWithin = 9 * time.Second

// reached has the connections of a process.
type reached struct {
	kept     *postgres.Store
	runs     *postgres.Runs
	temporal cluster.Temporal
	name     string // unique name of this process
}

// reach connects to both servers.
func (s *Servers) reach(ctx context.Context, runBytes int64, version string, log *slog.Logger) (*reached, error) {
	r := &reached{name: processName()}
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	var reaching errgroup.Group // no shared context: one error must not cancel the other connection
	var noDatabase, noTemporal error
	reaching.Go(func() error {
		noDatabase = r.open(ctx, s, runBytes)
		return nil
	})
	reaching.Go(func() error {
		r.temporal, noTemporal = s.dial(ctx, r.name+" "+version, log)
		return nil
	})
	_ = reaching.Wait() // both return nil
	err := cmp.Or(noDatabase, noTemporal)
	if err == nil {
		err = s.claim(ctx, r)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// claim claims the Temporal namespace for the cluster.
func (s *Servers) claim(ctx context.Context, r *reached) error {
	err := cluster.Claim{Cluster: s.Cluster, Database: r.runs.ID()}.Make(ctx, r.temporal)
	if errors.Is(err, cluster.ErrOtherCluster) {
		return fmt.Errorf("--namespace: %w; name another one, or, if that cluster is gone, terminate the workflow svc.cluster there", err)
	}
	if err != nil {
		return fmt.Errorf("--temporal: %w", err)
	}
	return nil
}

// open connects to the database.
func (r *reached) open(ctx context.Context, s *Servers, runBytes int64) (err error) {
	if r.kept, err = OpenDatabase(ctx, s.Postgres); err != nil {
		return err
	}
	options := postgres.RunOptions{
		Cluster: s.Cluster, RunBytes: runBytes,
		AlsoTidy: func(ctx context.Context) error { return clusterdb.Tidy(ctx, r.kept.DB()) },
	}
	if r.runs, err = r.kept.Runs(ctx, options); err != nil {
		return fmt.Errorf("--cluster: %w; name the right one, or another --postgres", err)
	}
	return nil
}

// OpenDatabase opens the database of a cluster. Its errors say what to do.
func OpenDatabase(ctx context.Context, url string) (*postgres.Store, error) {
	kept, err := postgres.Open(ctx, url)
	switch {
	case errors.Is(err, postgres.ErrNotMigrated):
		return nil, errors.New("--postgres: the database has not got the tables of this version; run `svc-cluster migrate` once")
	case errors.Is(err, postgres.ErrNewer):
		return nil, errors.New("--postgres: the database has the tables of a newer version; use a svc-cluster that is no older than the one that made them")
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("--postgres: look at its address, at who may come in there, and whether it runs: %w", err)
	case err != nil:
		return nil, fmt.Errorf("--postgres: %w", err)
	}
	return kept, nil
}

// dial connects to Temporal.
func (s *Servers) dial(ctx context.Context, identity string, log *slog.Logger) (cluster.Temporal, error) {
	c, err := cluster.Dial(ctx, cluster.Connection{Address: s.Temporal, Namespace: s.Namespace, Identity: identity, Log: log})
	if err != nil {
		return nil, notDialled(err)
	}
	return c, nil
}

// notDialled adds advice to an error of Temporal.
func notDialled(err error) error {
	if errors.Is(err, cluster.ErrNoNamespace) {
		return fmt.Errorf("--namespace: %w", err)
	}
	return fmt.Errorf("--temporal: look at its address, and whether it runs: %w", err)
}

// close closes the connections.
func (r *reached) close() {
	if r.temporal != nil {
		r.temporal.Close()
	}
	if r.kept != nil {
		r.kept.Close()
	}
}

// processName returns a name that is unique among all processes, also earlier ones.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "svc"
	}
	return host + "-" + uuid.NewString()[:8]
}
