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

// Errors of [Open] for a database with tables of another version.
var (
	ErrNotMigrated = errors.New("the database has not got the tables of this version; svc migrate makes them")
	ErrNewer       = errors.New("the database has the tables of a newer version of svc; use that, or one that is no older")
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the tables of a database to this version. It returns the versions that it has
// applied, in order; none if there was nothing to do. Concurrent calls wait for each other. If one
// is interrupted, the database has one version or the next. Migrate holds a session lock, so it
// must connect to the server directly, not through a pooler in transaction mode.
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

// versions is the table of applied migrations.
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

// check compares the version of the tables with that of the program.
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
	switch want := int64(len(files)); { // numbered from 1 without gaps, which a test checks
	case have < want:
		return ErrNotMigrated
	case have > want:
		return ErrNewer
	}
	return nil
}
