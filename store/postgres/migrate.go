package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/svcflow/svc/store/postgres/pg"
)

// What [Open] says of a database whose tables are not those of this version.
var (
	ErrNotMigrated = errors.New("the database has not got the tables of this version; svc migrate makes them")
	ErrNewer       = errors.New("the database has the tables of a newer version of svc; use that, or one that is no older")
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the tables of a database to this version, and returns the versions that it
// has made, in order; none if there was nothing to do. Of several that do so at once one does
// it, and the others wait; one that is cut off leaves a database of one version or the next.
// It holds a lock of its session, so it has to reach the server itself and not a pooler of
// transactions.
func Migrate(ctx context.Context, url string) (made []int64, err error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, ErrAddress
	}
	throughPoolers(config.ConnConfig, url)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, pg.Failed("open the database of workflows", err)
	}
	defer pool.Close()
	if err := check(ctx, pool); err == nil || !errors.Is(err, ErrNotMigrated) {
		return nil, err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	p, err := provider(db)
	if err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	for _, r := range results {
		made = append(made, r.Source.Version)
	}
	return made, pg.Failed("make the tables", err)
}

// versions is the table that says which migrations were made.
const versions = "svc_schema"

func provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	one, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versions),
		goose.WithSessionLocker(one), goose.WithDisableGlobalRegistry(true))
}

// check compares the tables of a database with those of this version.
func check(ctx context.Context, pool *pgxpool.Pool) error {
	var have int64
	err := pool.QueryRow(ctx, `select coalesce(max(version_id), 0) from `+versions).Scan(&have)
	if pg.IsMissing(err) {
		return ErrNotMigrated
	}
	if err != nil {
		return pg.Failed("look at the tables", err)
	}
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		return err
	}
	switch want := int64(len(files)); { // numbered from 1 without a gap, as a test has it
	case have < want:
		return ErrNotMigrated
	case have > want:
		return ErrNewer
	}
	return nil
}
