package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// keptRevisions is the number of earlier revisions that are kept, always including the first, as in
// filestore.
const keptRevisions = 100

// ErrAddress says that the address of a database cannot be parsed. It does not repeat the address,
// which may contain a password.
var ErrAddress = errors.New("the address of the database cannot be understood; it looks like postgres://user@host:5432/name")

// Store is a [store.WorkflowStore] with all optional interfaces. Make one with [Open] and close it.
// It is safe for concurrent use by any number of processes. While the database is unavailable,
// errors wrap [store.ErrUnavailable].
type Store struct{ pool *pgxpool.Pool }

var (
	_ store.WorkflowStore = (*Store)(nil)
	_ store.Revisions     = (*Store)(nil)
	_ store.Conditional   = (*Store)(nil)
	_ store.Versioned     = (*Store)(nil)
	_ store.Weighed       = (*Store)(nil)
)

// Open opens the database at a URL, or at an address of key=value pairs. If its tables do not have
// this version, it returns [ErrNotMigrated] or [ErrNewer]. Errors never contain the password.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, ErrAddress
	}
	throughPoolers(config.ConnConfig, url)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, pg.Failed("open the database of workflows", err)
	}
	if err := check(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return &Store{pool: pool}, nil
}

// throughPoolers avoids prepared statements, since behind a pooler each transaction may use another
// connection. Without a pooler, default_query_exec_mode=cache_statement in the address is faster;
// see pgx.
func throughPoolers(c *pgx.ConnConfig, url string) {
	if !strings.Contains(url, "default_query_exec_mode") {
		c.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
}

// DB returns access to the database for packages with their own tables in it. It uses the
// connections of s; close s after the last use.
func (s *Store) DB() pg.DB { return pg.DB{Pool: s.pool, Patience: patience} }

// Close closes the connections, after the current queries have ended.
func (s *Store) Close() { s.pool.Close() }

// List implements [store.WorkflowStore]. It reads no documents; cursors are ids.
func (s *Store) List(ctx context.Context, q workflow.Query) (workflow.Page, error) {
	if q.Cursor != "" {
		if err := store.CheckCursor(q.Cursor); err != nil {
			return workflow.Page{}, err
		}
	}
	size := q.Size()
	metas, err := s.metas(ctx, `select r.about, r.revision, w.created, r.saved
		from svc_workflows w join svc_revisions r using (id, revision) where w.id > $1 order by w.id limit $2`, q.Cursor, size+1)
	if err != nil {
		return workflow.Page{}, pg.Failed("list workflows", err)
	}
	return store.Paged(metas, workflow.Query{Limit: size})
}

// Revisions implements [store.Revisions].
func (s *Store) Revisions(ctx context.Context, id string) ([]workflow.Meta, error) {
	metas, err := s.metas(ctx, `select r.about, r.revision, w.created, r.saved
		from svc_workflows w join svc_revisions r using (id) where id = $1 order by r.revision desc`, id)
	if err == nil && len(metas) == 0 {
		err = workflow.ErrNotFound
	}
	return metas, pg.Failed("list revisions", err)
}

// metas reads rows of about, revision, created and saved.
func (s *Store) metas(ctx context.Context, query string, args ...any) ([]workflow.Meta, error) {
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]workflow.Meta{}, rows, func(row pgx.CollectableRow) (meta workflow.Meta, err error) {
		return readMeta(row)
	})
}

// readMeta reads about, revision, created and saved.
func readMeta(row pgx.Row) (meta workflow.Meta, err error) {
	var about string
	var revision int
	var created, saved time.Time
	if err := row.Scan(&about, &revision, &created, &saved); err != nil {
		return workflow.Meta{}, err
	}
	if err := json.Unmarshal([]byte(about), &meta); err != nil {
		return workflow.Meta{}, fmt.Errorf("%w: its description: %w", store.ErrDamaged, err)
	}
	meta.Revision, meta.CreatedAt, meta.UpdatedAt = revision, created.UTC(), saved.UTC()
	return meta, nil
}

// Load implements [store.WorkflowStore].
func (s *Store) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	def, err := s.load(ctx, id, `select document from svc_workflows join svc_revisions using (id, revision) where id = $1`, id)
	return def, pg.Failed("load workflow", err)
}

// LoadRevision implements [store.Revisions].
func (s *Store) LoadRevision(ctx context.Context, id string, n int) (*workflow.Definition, error) {
	def, err := s.load(ctx, id, `select document from svc_revisions where id = $1 and revision = $2`, id, n)
	return def, pg.Failed("load revision "+strconv.Itoa(n), err)
}

func (s *Store) load(ctx context.Context, id, query string, args ...any) (*workflow.Definition, error) {
	if workflow.CheckID(id) != nil {
		return nil, workflow.ErrNotFound // such an id is not valid in a query either
	}
	var document string
	err := s.pool.QueryRow(ctx, query, args...).Scan(&document)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, workflow.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	def, err := workflow.Decode([]byte(document), workflow.Limits{}) // no limits: what was saved can be loaded
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w %s: %w", store.ErrDamaged, id, err)
	case def.ID != id:
		return nil, fmt.Errorf("%w %s: it holds the workflow %q", store.ErrDamaged, id, def.ID)
	}
	return def, nil
}

// Version implements [store.Versioned].
func (s *Store) Version(ctx context.Context, id string) (string, error) {
	change, err := s.number(ctx, id, `select change from svc_workflows where id = $1`)
	return strconv.FormatInt(change, 10), pg.Failed("look at workflow", err)
}

// Weight implements [store.Weighed]. It reads no document, since the weight is stored with it.
func (s *Store) Weight(ctx context.Context, id string) (int, error) {
	weight, err := s.number(ctx, id, `select weight from svc_workflows join svc_revisions using (id, revision) where id = $1`)
	return int(weight), pg.Failed("weigh workflow", err)
}

// number returns a number column of a workflow.
func (s *Store) number(ctx context.Context, id, query string) (n int64, err error) {
	if workflow.CheckID(id) != nil {
		return 0, workflow.ErrNotFound // such an id is not valid in a query either
	}
	err = s.pool.QueryRow(ctx, query, id).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		err = workflow.ErrNotFound
	}
	return n, err
}
