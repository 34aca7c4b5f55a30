package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/store"
)

// PlaceCall implements [store.SharedCalls].
func (s *Runs) PlaceCall(ctx context.Context, c store.PlacedCall) error {
	id, err := parseID(c.RunID)
	if err != nil {
		return fmt.Errorf("place call: %w", err)
	}
	tag, err := s.exec(ctx, `insert into svc_calls (id, run, path, number, once, queue, inputs)
		select $1, id, $3, $4, $5, $6, $7 from svc_runs where id = $2 and finished is null on conflict (id) do nothing`,
		c.ID, id, c.Path, c.Number, c.Once, c.Queue, c.Inputs)
	if err == nil && tag.RowsAffected() == 0 {
		err = s.notPlaced(ctx, c)
	}
	return failed("place call", err)
}

// notPlaced says why a call was not placed; nil if it was before.
func (s *Runs) notPlaced(ctx context.Context, c store.PlacedCall) error {
	var there bool
	if err := s.one(ctx, `select exists (select from svc_calls where id = $1)`, c.ID).Scan(&there); err != nil || there {
		return err
	}
	if _, err := s.Record(ctx, c.RunID); err != nil {
		return err
	}
	return refused(store.ErrRunEnded)
}

// PlacedCalls implements [store.SharedCalls].
func (s *Runs) PlacedCalls(ctx context.Context, runID string) ([]store.PlacedCall, error) {
	id, err := parseID(runID)
	if err != nil {
		return nil, nil //nolint:nilerr // a run that cannot be has no calls
	}
	calls, err := collect(ctx, s.database, func(row pgx.CollectableRow) (c store.PlacedCall, err error) {
		return c, row.Scan(&c.RunID, &c.ID, &c.Path, &c.Number, &c.Once, &c.Queue)
	}, `select run::text, id::text, path, number, once, queue from svc_calls where run = $1 and not cancelled order by placed`, id)
	return calls, failed("list calls", err)
}

// BeginAnswer implements [store.SharedCalls].
func (s *Runs) BeginAnswer(ctx context.Context, id, worker string) (c store.PlacedCall, before store.CallState, err error) {
	if uuid.Validate(id) != nil {
		return c, before, store.ErrNoCall
	}
	before.ID = id
	err = s.one(ctx, `update svc_calls c set worker = $2 from (select * from svc_calls where id = $1 for update) b where c.id = b.id
		returning b.run::text, b.id::text, b.path, b.number, b.once, b.queue, b.inputs, coalesce(b.worker, ''), b.outcome is not null, b.cancelled, coalesce(b.progress, '')`,
		id, worker).Scan(&c.RunID, &c.ID, &c.Path, &c.Number, &c.Once, &c.Queue, &c.Inputs, &before.Worker, &before.Answered, &before.Cancelled, &before.Progress)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refused(store.ErrNoCall)
	}
	return c, before, failed("answer call", err)
}

// TellProgress implements [store.SharedCalls].
func (s *Runs) TellProgress(ctx context.Context, id, progress string) error {
	return s.changeCall(ctx, `update svc_calls set progress = $2 where id = $1`, id, progress)
}

// AnswerCall implements [store.SharedCalls].
func (s *Runs) AnswerCall(ctx context.Context, id string, outcome []byte) error {
	return s.changeCall(ctx, `update svc_calls set outcome = $2 where id = $1 and outcome is null`, id, outcome)
}

// CancelCall implements [store.SharedCalls].
func (s *Runs) CancelCall(ctx context.Context, id string) error {
	return s.changeCall(ctx, `update svc_calls set cancelled = true where id = $1`, id)
}

func (s *Runs) changeCall(ctx context.Context, query, id string, args ...any) error {
	if uuid.Validate(id) != nil {
		return nil
	}
	_, err := s.exec(ctx, query, append([]any{id}, args...)...)
	return failed("change call", err)
}

// Outcome implements [store.SharedCalls].
func (s *Runs) Outcome(ctx context.Context, id string) (outcome []byte, err error) {
	if uuid.Validate(id) != nil {
		return nil, store.ErrNoCall
	}
	err = s.one(ctx, `select outcome from svc_calls where id = $1 and outcome is not null`, id).Scan(&outcome)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refused(store.ErrNoCall)
	}
	return outcome, failed("read what came of a call", err)
}

// CallStates implements [store.SharedCalls].
func (s *Runs) CallStates(ctx context.Context, ids []string) ([]store.CallState, error) {
	known := make([]string, 0, len(ids))
	for _, id := range ids {
		if uuid.Validate(id) == nil {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		return nil, ctx.Err()
	}
	states, err := collect(ctx, s.database, func(row pgx.CollectableRow) (c store.CallState, err error) {
		return c, row.Scan(&c.ID, &c.Worker, &c.Answered, &c.Cancelled, &c.Progress)
	}, `select id::text, coalesce(worker, ''), outcome is not null, cancelled, coalesce(progress, '')
		from svc_calls where id = any (array(select unnest($1::text[])::uuid))`, known)
	return states, failed("look how far calls are", err)
}

// forgetCalls deletes the calls of runs that have ended, or are gone.
func (s *Runs) forgetCalls(ctx context.Context) error {
	_, err := s.exec(ctx, `delete from svc_calls c where not exists (select from svc_runs r where r.id = c.run and r.finished is null)`)
	return err
}
