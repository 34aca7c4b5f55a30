package postgres

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

// database asks a database, which has only so long for each answer.
type database struct {
	pool     *pgxpool.Pool
	patience time.Duration
}

// patient bounds how long a question may take.
func (s database) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.patience, store.ErrUnavailable)
}

// waited says of a question that took too long that the database is unavailable.
func waited(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), store.ErrUnavailable) {
		return fmt.Errorf("%w: it does not answer", store.ErrUnavailable)
	}
	return err
}

// exec makes one statement.
func (s database) exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error) {
	ctx, cancel := s.patient(ctx)
	defer cancel()
	tag, err := s.pool.Exec(ctx, query, args...)
	return tag, waited(ctx, err)
}

// one asks for one row.
func (s database) one(ctx context.Context, query string, args ...any) pgx.Row {
	return patientRow{s, ctx, query, args}
}

// patientRow asks when it is scanned, so that it has its time then.
type patientRow struct {
	from  database
	ctx   context.Context //nolint:containedctx // as pgx.Row has it
	query string
	args  []any
}

// Scan implements [pgx.Row].
func (r patientRow) Scan(dest ...any) error {
	ctx, cancel := r.from.patient(r.ctx)
	defer cancel()
	return waited(ctx, r.from.pool.QueryRow(ctx, r.query, r.args...).Scan(dest...))
}

// within makes a transaction.
func (s database) within(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx, cancel := s.patient(ctx)
	defer cancel()
	return waited(ctx, pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return do(ctx, tx) }))
}

// together sends statements at once, which are one transaction, and tells of each how many rows
// it was about.
func (s database) together(ctx context.Context, b *pgx.Batch) (rows []int64, err error) {
	ctx, cancel := s.patient(ctx)
	defer cancel()
	results := s.pool.SendBatch(ctx, b)
	rows, err = affected(results, b.Len())
	if ended := results.Close(); err == nil {
		err = ended
	}
	return rows, waited(ctx, err)
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

// collect asks for rows.
func collect[T any](ctx context.Context, s database, read pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	ctx, cancel := s.patient(ctx)
	defer cancel()
	rows, err := s.pool.Query(ctx, query, args...)
	if err != nil {
		return nil, waited(ctx, err)
	}
	all, err := pgx.CollectRows(rows, read)
	return all, waited(ctx, err)
}

// sent sends statements at once, within a transaction, and tells of each how many rows it was
// about.
func sent(ctx context.Context, tx pgx.Tx, b *pgx.Batch) (rows []int64, err error) {
	results := tx.SendBatch(ctx, b)
	rows, err = affected(results, b.Len())
	if ended := results.Close(); err == nil {
		err = ended
	}
	return rows, err
}
