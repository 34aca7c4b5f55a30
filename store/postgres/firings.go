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

// Admit implements [store.SharedFirings].
func (s *Runs) Admit(ctx context.Context, runID string, limits store.SharedLimits) error {
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("admit run: %w", err)
	}
	err = s.makePlaces(ctx, limits.Unfinished)
	if err == nil {
		err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if err := stillArmed(ctx, tx, limits.Armed); err != nil {
				return err
			}
			return admit(ctx, tx, id, limits.Unfinished)
		})
	}
	return pg.Failed("admit run", err)
}

// admit gives a run a slot. It locks the run, so that the run cannot be admitted twice or end
// meanwhile.
func admit(ctx context.Context, tx pgx.Tx, id uuid.UUID, places int) error {
	var finished, admitted bool
	err := tx.QueryRow(ctx, `select finished is not null, admitted from svc_runs where id = $1 for update`, id).Scan(&finished, &admitted)
	switch {
	case err != nil:
		return notFound(err)
	case finished:
		return pg.Refused(store.ErrRunEnded)
	case admitted:
		return nil
	}
	if places > 0 {
		tag, err := tx.Exec(ctx, takePlace, id, places)
		if err == nil && tag.RowsAffected() == 0 {
			err = pg.Refused(store.ErrNoPlace)
		}
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `update svc_runs set admitted = true where id = $1`, id)
	return err
}

// Waiting implements [store.SharedFirings].
func (s *Runs) Waiting(ctx context.Context, since time.Time) ([]run.Record, error) {
	return s.fired(ctx, `not admitted and status = 'waiting' and started > $1`, since)
}

// Admitted implements [store.SharedFirings].
func (s *Runs) Admitted(ctx context.Context) ([]run.Record, error) {
	return s.fired(ctx, `started_by is not null and (admitted or status <> 'waiting')`)
}

// fired returns the unfinished runs that match where, without damaged ones.
func (s *Runs) fired(ctx context.Context, where string, args ...any) (all []run.Record, err error) {
	rows, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (recordRow, error) { return scanRecord(row) },
		recordColumns+` where finished is null and `+where+` order by started, id`, args...)
	for i := range rows {
		if r, err := rows[i].record(); err == nil {
			all = append(all, r)
		}
	}
	return all, pg.Failed("list the runs of triggers", err)
}

// Inbox implements [store.SharedFirings].
func (s *Runs) Inbox(ctx context.Context) (b store.Inbox, err error) {
	err = s.db.One(ctx, `select count(*), coalesce(sum(bytes), 0)::bigint from svc_runs where finished is null and not admitted and status = 'waiting'`).
		Scan(&b.Runs, &b.Bytes)
	return b, pg.Failed("count what waits", err)
}

// EndedSince implements [store.SharedFirings].
func (s *Runs) EndedSince(ctx context.Context, since time.Time) ([]store.RunEnd, error) {
	ends, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (e store.RunEnd, err error) { return e, row.Scan(&e.RunID, &e.At) },
		`select id::text, recorded from svc_runs where recorded >= $1 order by recorded, id`, since)
	return ends, pg.Failed("list what has ended", err)
}

// Await implements [store.SharedFirings].
func (s *Runs) Await(ctx context.Context, runID string, key []byte) error {
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("await the answer of a run: %w", err)
	}
	_, err = s.db.Exec(ctx, `insert into svc_callers (run, since, key) values ($1, clock_timestamp(), $2)
		on conflict (run) do update set since = excluded.since, key = excluded.key, answer = null`, id, key)
	return pg.Failed("await the answer of a run", err)
}

// Unawait implements [store.SharedFirings].
func (s *Runs) Unawait(ctx context.Context, runID string) error {
	id, err := parseID(runID)
	if err != nil {
		return nil //nolint:nilerr // an invalid run id has no waiting caller
	}
	_, err = s.db.Exec(ctx, `delete from svc_callers where run = $1`, id)
	return pg.Failed("await no answer", err)
}

// Awaiting implements [store.SharedFirings].
func (s *Runs) Awaiting(ctx context.Context, runID string) (key []byte, err error) {
	id, err := parseID(runID)
	if err == nil {
		err = s.db.One(ctx, `select key from svc_callers where run = $1 and answer is null`, id).Scan(&key)
	}
	if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, store.ErrRunNotFound) {
		err = pg.Refused(store.ErrNobodyAwaits)
	}
	return key, pg.Failed("answer run "+runID, err)
}

// Answer implements [store.SharedFirings].
func (s *Runs) Answer(ctx context.Context, runID string, sealed []byte) error {
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("answer a run: %w", store.ErrNobodyAwaits)
	}
	tag, err := s.db.Exec(ctx, `update svc_callers set answer = $2 where run = $1 and answer is null`, id, sealed)
	if err == nil && tag.RowsAffected() == 0 {
		err = pg.Refused(store.ErrNobodyAwaits)
	}
	return pg.Failed("answer run "+runID, err)
}

// Answers implements [store.SharedFirings].
func (s *Runs) Answers(ctx context.Context, runIDs []string) ([]store.SealedAnswer, error) {
	answers, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (a store.SealedAnswer, err error) {
		var sealed []byte
		err = row.Scan(&a.RunID, &sealed)
		a.Sealed = string(sealed)
		return a, err
	}, `select run::text, answer from svc_callers where run = any (array(select unnest($1::text[])::uuid)) and answer is not null`, runIDs)
	return answers, pg.Failed("look for answers", err)
}

// forgetCallers deletes callers that never called Unawait.
func (s *Runs) forgetCallers(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `delete from svc_callers where since < clock_timestamp() - $1 * interval '1 microsecond'`, store.AwaitedFor.Microseconds())
	return err
}
