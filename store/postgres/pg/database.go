// Package pg queries a PostgreSQL database with a time limit, and distinguishes an unavailable
// database from a refusal. Package postgres shares it with packages that have their own tables in
// the same database.
package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/svcflow/svc/store"
)

// DB is a database whose queries fail if they take longer than Patience.
type DB struct {
	Pool     *pgxpool.Pool
	Patience time.Duration // time limit of a query
}

// Patient returns a context that ends after Patience.
func (s DB) Patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.Patience, store.ErrUnavailable)
}

// Waited returns [store.ErrUnavailable] if err was caused by the end of a context of [DB.Patient],
// and err otherwise.
func Waited(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), store.ErrUnavailable) {
		return fmt.Errorf("%w: it does not answer", store.ErrUnavailable)
	}
	return err
}

// Exec executes one statement.
func (s DB) Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	ctx, cancel := s.Patient(ctx)
	defer cancel()
	tag, err := s.Pool.Exec(ctx, query, args...)
	return tag, Waited(ctx, err)
}

// One queries one row.
func (s DB) One(ctx context.Context, query string, args ...any) pgx.Row {
	return patientRow{s, ctx, query, args}
}

// patientRow runs its query in Scan, so that the time limit starts there.
type patientRow struct {
	from  DB
	ctx   context.Context //nolint:containedctx // as in [pgx.Row]
	query string
	args  []any
}

// Scan implements [pgx.Row].
func (r patientRow) Scan(dest ...any) error {
	ctx, cancel := r.from.Patient(r.ctx)
	defer cancel()
	return Waited(ctx, r.from.Pool.QueryRow(ctx, r.query, r.args...).Scan(dest...))
}

// Within calls do in a transaction.
func (s DB) Within(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := s.Patient(ctx)
	defer cancel()
	return Waited(ctx, pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error { return do(ctx, tx) }))
}

// Together sends statements as one transaction, and returns the number of affected rows of each.
func (s DB) Together(ctx context.Context, b *pgx.Batch) (rows []int64, err error) {
	ctx, cancel := s.Patient(ctx)
	defer cancel()
	rows, err = affected(s.Pool.SendBatch(ctx, b), b.Len())
	return rows, Waited(ctx, err)
}

// affected returns the number of affected rows of each statement, and closes the results.
func affected(results pgx.BatchResults, statements int) (rows []int64, err error) {
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	for range statements {
		tag, err := results.Exec()
		if err != nil {
			return rows, err
		}
		rows = append(rows, tag.RowsAffected())
	}
	return rows, nil
}

// Collect returns the rows of a query.
func Collect[T any](ctx context.Context, s DB, read pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	ctx, cancel := s.Patient(ctx)
	defer cancel()
	rows, err := s.Pool.Query(ctx, query, args...)
	if err != nil {
		return nil, Waited(ctx, err)
	}
	all, err := pgx.CollectRows(rows, read)
	return all, Waited(ctx, err)
}

// Sent sends statements in one round trip within a transaction, and returns the number of affected
// rows of each.
func Sent(ctx context.Context, tx pgx.Tx, b *pgx.Batch) (rows []int64, err error) {
	return affected(tx.SendBatch(ctx, b), b.Len())
}
