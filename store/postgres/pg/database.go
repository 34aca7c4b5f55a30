// Package pg asks a PostgreSQL database with bounded patience, and tells an unavailable database
// from a refusal. It is what package postgres shares with packages that keep tables of their own
// in the same database.
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

// DB asks a database and gives up if an answer takes longer than Patience.
type DB struct {
	Pool     *pgxpool.Pool
	Patience time.Duration // for one answer
}

// Patient returns a context that ends after s.Patience.
func (s DB) Patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.Patience, store.ErrUnavailable)
}

// Waited returns [store.ErrUnavailable] for an err that a context of [DB.Patient] has caused, and any
// other err as it is.
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

// patientRow runs its query in Scan, so that the patience counts from there.
type patientRow struct {
	from  DB
	ctx   context.Context //nolint:containedctx // as pgx.Row has it
	query string
	args  []any
}

// Scan implements [pgx.Row].
func (r patientRow) Scan(dest ...any) error {
	ctx, cancel := r.from.Patient(r.ctx)
	defer cancel()
	return Waited(ctx, r.from.Pool.QueryRow(ctx, r.query, r.args...).Scan(dest...))
}

// Within runs do in a transaction.
func (s DB) Within(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := s.Patient(ctx)
	defer cancel()
	return Waited(ctx, pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error { return do(ctx, tx) }))
}

// Together sends statements at once, as one transaction, and returns the number of affected rows
// for each.
func (s DB) Together(ctx context.Context, b *pgx.Batch) (rows []int64, err error) {
	ctx, cancel := s.Patient(ctx)
	defer cancel()
	results := s.Pool.SendBatch(ctx, b)
	rows, err = affected(results, b.Len())
	if ended := results.Close(); err == nil {
		err = ended
	}
	return rows, Waited(ctx, err)
}

func affected(results pgx.BatchResults, statements int) (rows []int64, err error) {
	for range statements {
		tag, err := results.Exec()
		if err != nil {
			return rows, err
		}
		rows = append(rows, tag.RowsAffected())
	}
	return rows, nil
}

// Collect queries rows.
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

// Sent sends statements at once within a transaction, and returns the number of affected rows for
// each.
func Sent(ctx context.Context, tx pgx.Tx, b *pgx.Batch) (rows []int64, err error) {
	results := tx.SendBatch(ctx, b)
	rows, err = affected(results, b.Len())
	if ended := results.Close(); err == nil {
		err = ended
	}
	return rows, err
}
