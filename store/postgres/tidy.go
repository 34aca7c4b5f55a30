package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Tidy implements [store.SharedRuns]. It works in small transactions, so that other processes do
// not have to wait.
func (s *Runs) Tidy(ctx context.Context, keep store.Retention) error {
	now := time.Now()
	err := s.makeDays(ctx, now, now.Add(day))
	if err == nil {
		err = s.forgetLapsed(ctx, now)
	}
	if err == nil {
		err = s.forgetCalls(ctx)
	}
	if err == nil {
		err = s.forgetCallers(ctx)
	}
	if err == nil && s.options.AlsoTidy != nil {
		err = s.options.AlsoTidy(ctx)
	}
	if err == nil && keep.Age > 0 {
		err = s.dropOld(ctx, now.Add(-keep.Age))
	}
	if err == nil && (keep.Runs > 0 || keep.Bytes > 0) {
		err = s.dropMany(ctx, keep)
	}
	return pg.Failed("tidy the runs", err)
}

// forgetLapsed deletes expired idempotency keys and old leases.
func (s *Runs) forgetLapsed(ctx context.Context, now time.Time) error {
	_, err := s.db.Exec(ctx, `delete from svc_keys k where started <= $1
		and not (get_byte(k.key, 0) = 0 and exists (select from svc_runs r where r.id = k.run))`, now.Add(-run.KeyLife))
	if err == nil {
		_, err = s.db.Exec(ctx, `delete from svc_leases where until < clock_timestamp() - interval '1 hour'`)
	}
	return err
}

// dropOld deletes runs that ended before until: whole days by dropping partitions, the rest one by
// one.
func (s *Runs) dropOld(ctx context.Context, until time.Time) error {
	firsts, err := s.daysKept(ctx)
	if err != nil {
		return err
	}
	for _, first := range firsts {
		if !timeOf(first).Add(day).Before(until) {
			break // later days may have runs that ended after until, or get new ones
		}
		if _, err := s.dropDay(ctx, first, until); err != nil && !pg.IsBusy(err) {
			return err
		}
	}
	return s.deleteEach(ctx, `select id from svc_runs where finished < $1 order by finished, id limit $2`, until)
}

// dropMany deletes the runs that ended first until the limits are met. The run that ended last is
// always kept.
func (s *Runs) dropMany(ctx context.Context, keep store.Retention) error {
	var runs, bytes int64
	if err := s.db.One(ctx, `select count(*), coalesce(sum(bytes), 0)::bigint from svc_runs`).Scan(&runs, &bytes); err != nil {
		return err
	}
	manyRuns, manyBytes := int64(0), int64(0)
	if keep.Runs > 0 {
		manyRuns = max(0, runs-int64(keep.Runs))
	}
	if keep.Bytes > 0 {
		manyBytes = max(0, bytes-keep.Bytes)
	}
	if manyRuns == 0 && manyBytes == 0 {
		return nil
	}
	ids, err := pg.Collect(ctx, s.db, pgx.RowTo[uuid.UUID], `select id from (
		select id, row_number() over w as n, sum(bytes) over w - bytes as before, count(*) over () as ended
		from svc_runs where finished is not null window w as (order by finished, id)) e
		where n < ended and (n <= $1 or before < $2)`, manyRuns, manyBytes)
	if err != nil {
		return err
	}
	for len(ids) > 0 {
		n := min(len(ids), deletedAtOnce)
		if err := s.deleteRuns(ctx, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// deletedAtOnce is the number of runs deleted per transaction.
const deletedAtOnce = 200

// deleteEach deletes the runs that a query returns, until it returns none.
func (s *Runs) deleteEach(ctx context.Context, query string, args ...any) error {
	for {
		ids, err := pg.Collect(ctx, s.db, pgx.RowTo[uuid.UUID], query, append(args, deletedAtOnce)...)
		if err == nil && len(ids) > 0 {
			err = s.deleteRuns(ctx, ids)
		}
		if err != nil || len(ids) < deletedAtOnce {
			return err
		}
	}
}

// deleteRuns deletes runs, but not their idempotency keys, which outlive them.
func (s *Runs) deleteRuns(ctx context.Context, ids []uuid.UUID) error {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	var b pgx.Batch
	for _, query := range []string{
		`delete from svc_runs where id = any ($1::text[]::uuid[])`,
		`delete from svc_starts where id = any ($1::text[]::uuid[])`,
		`delete from svc_frames where run = any ($1::text[]::uuid[])`,
		`delete from svc_values where run = any ($1::text[]::uuid[])`,
		`delete from svc_calls where run = any ($1::text[]::uuid[])`,
		`delete from svc_resumed where by = any ($1::text[]::uuid[])`,
		`update svc_places set run = null where run = any ($1::text[]::uuid[])`,
	} {
		b.Queue(query, texts)
	}
	_, err := s.db.Together(ctx, &b)
	return err
}

// Delete implements [store.SharedRuns].
func (s *Runs) Delete(ctx context.Context, runID string) error {
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	var finished, driven bool
	err = s.db.One(ctx, `select finished is not null, exists (select from svc_leases l where l.driver = r.driver and l.until > clock_timestamp())
		from svc_runs r where id = $1`, id).Scan(&finished, &driven)
	switch err = notFound(err); {
	case err != nil:
	case !finished && (driven || s.readable(ctx, runID)):
		err = pg.Refused(store.ErrRunRunning)
	default:
		err = s.deleteRuns(ctx, []uuid.UUID{id})
	}
	return pg.Failed("delete run", err)
}

// readable reports whether an unfinished run can be read completely.
func (s *Runs) readable(ctx context.Context, runID string) bool {
	_, err := s.record(ctx, runID)
	if err == nil {
		_, err = s.start(ctx, runID)
	}
	for after := 0; err == nil; {
		var frames []run.Frame
		if frames, err = s.frames(ctx, runID, after, 1<<20); len(frames) == 0 {
			break
		}
		after += len(frames)
	}
	return !errors.Is(err, store.ErrRunDamaged)
}
