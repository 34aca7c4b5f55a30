package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// ErrOtherCluster says that the database belongs to another cluster.
var ErrOtherCluster = errors.New("the database belongs to another cluster")

// RunOptions configure [Store.Runs].
type RunOptions struct {
	// Cluster is the name of the cluster. The database belongs to the first cluster that is named;
	// others are refused.
	Cluster string
	// RunBytes limits the size of one run; 0 means limit.RunBytes, a negative value no limit.
	RunBytes int64
	// AlsoTidy, if not nil, is called by [Runs.Tidy], to clean up other tables in the same
	// database.
	AlsoTidy func(context.Context) error
	// Patience is the time limit of a query; 0 means ten seconds.
	Patience time.Duration
}

const patience = 10 * time.Second

// Runs is a [store.SharedRuns] for any number of processes. Get it from [Store.Runs]. It is safe
// for concurrent use.
type Runs struct {
	db pg.DB

	options RunOptions
	days    days
	keys    keyCount
	places  atomic.Int64 // run slots known to exist
	id      string       // of the database; "" if no cluster was named
	about   atomic.Pointer[string]
}

var _ store.SharedRuns = (*Runs)(nil)

// Runs returns the runs in the database. It uses the connections of s; close s after the last use.
func (s *Store) Runs(ctx context.Context, o RunOptions) (*Runs, error) {
	o.RunBytes = cmp.Or(o.RunBytes, limit.RunBytes)
	o.Patience = cmp.Or(o.Patience, patience)
	r := &Runs{db: pg.DB{Pool: s.pool, Patience: o.Patience}, options: o}
	if o.Cluster != "" {
		if err := r.belong(ctx); err != nil {
			return nil, pg.Failed("open the runs", err)
		}
	}
	now := time.Now()
	err := r.makeDays(ctx, now, now.Add(day))
	return r, pg.Failed("open the runs", err)
}

// belong claims the database for the cluster.
func (s *Runs) belong(ctx context.Context) error {
	var name string
	err := s.db.Pool.QueryRow(ctx, `with made as (insert into svc_cluster (one, name) values (true, $1) on conflict do nothing returning name, id)
		select name, id::text from made union all select name, id::text from svc_cluster limit 1`, s.options.Cluster).Scan(&name, &s.id)
	if errors.Is(err, pgx.ErrNoRows) { // another process has inserted it since the snapshot
		err = s.db.Pool.QueryRow(ctx, `select name, id::text from svc_cluster`).Scan(&name, &s.id)
	}
	if err == nil && name != s.options.Cluster {
		err = pg.Refused(fmt.Errorf("%w, %q, and not to %q", ErrOtherCluster, name, s.options.Cluster))
	}
	return err
}

// ID returns the id of the database, which distinguishes clusters with the same name.
func (s *Runs) ID() string { return s.id }

// Describe sets the description of this process, which [Runs.Renew] stores for [Store.Outlook].
func (s *Runs) Describe(about string) { s.about.Store(&about) }

// Check implements [store.SharedRuns].
func (s *Runs) Check(ctx context.Context) error {
	var copied bool
	err := s.db.One(ctx, `select pg_is_in_recovery()`).Scan(&copied)
	if err == nil && copied {
		err = fmt.Errorf("%w: it is a copy that can only be read", store.ErrUnavailable)
	}
	return pg.Failed("write to the runs", err)
}

// Close implements [store.SharedRuns]. It does nothing: the connections belong to the Store.
func (s *Runs) Close() error { return nil }

// parseID parses the id of a shared run.
func parseID(runID string) (uuid.UUID, error) {
	id, err := store.SharedID(runID)
	if err != nil {
		return id, store.ErrRunNotFound
	}
	return id, nil
}

// keyCount is an estimate of the number of idempotency keys.
type keyCount struct {
	mu      sync.Mutex
	keys    int64
	counted time.Time
}
