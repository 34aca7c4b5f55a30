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

// ErrOtherCluster says that a database has the runs of another cluster.
var ErrOtherCluster = errors.New("the database belongs to another cluster")

// RunOptions says how runs are kept.
type RunOptions struct {
	// Cluster is whose runs they are. The first one to name a cluster has the database, and
	// others are refused.
	Cluster string
	// RunBytes is what one run may put down; 0 means limit.RunBytes, and less than that no
	// bound.
	RunBytes int64
	// AlsoTidy, if not nil, is called by [Runs.Tidy], for tables of others in the same database.
	AlsoTidy func(context.Context) error
	// Patience is how long a question to the database may take; 0 is ten seconds.
	Patience time.Duration
}

const patience = 10 * time.Second

// Runs is a [store.SharedRuns]: all that any number of processes have to know of runs. Make one
// with [Store.Runs]. It is safe for concurrent use.
type Runs struct {
	db pg.DB

	options RunOptions
	days    days
	keys    keyCount
	places  atomic.Int64 // that are known to be there
	id      string       // of the database; "" unless a cluster was named
	about   atomic.Pointer[string]
}

var _ store.SharedRuns = (*Runs)(nil)

// Runs returns the runs in the database, over the connections of s, which has to be closed
// after them.
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

// belong has the database belong to the cluster.
func (s *Runs) belong(ctx context.Context) error {
	var name string
	err := s.db.Pool.QueryRow(ctx, `with made as (insert into svc_cluster (one, name) values (true, $1) on conflict do nothing returning name, id)
		select name, id::text from made union all select name, id::text from svc_cluster limit 1`, s.options.Cluster).Scan(&name, &s.id)
	if errors.Is(err, pgx.ErrNoRows) { // somebody was faster than what this has seen
		err = s.db.Pool.QueryRow(ctx, `select name, id::text from svc_cluster`).Scan(&name, &s.id)
	}
	if err == nil && name != s.options.Cluster {
		err = pg.Refused(fmt.Errorf("%w, %q, and not to %q", ErrOtherCluster, name, s.options.Cluster))
	}
	return err
}

// ID returns what tells the database from others whose cluster has the same name.
func (s *Runs) ID() string { return s.id }

// Describe says what the process is whose lease is renewed from now on, in a text for
// [Store.Outlook].
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

// Close implements [store.SharedRuns]. The connections are those of the Store.
func (s *Runs) Close() error { return nil }

// parseID returns the id of a run that there may be.
func parseID(runID string) (uuid.UUID, error) {
	id, err := store.SharedID(runID)
	if err != nil {
		return id, store.ErrRunNotFound
	}
	return id, nil
}

// keyCount is about how many idempotency keys there are.
type keyCount struct {
	mu      sync.Mutex
	keys    int64
	counted time.Time
}
