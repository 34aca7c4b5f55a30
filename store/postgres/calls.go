package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// PlaceCalls implements [store.SharedCalls].
func (s *Runs) PlaceCalls(ctx context.Context, calls []store.PlacedCall) error {
	if len(calls) == 0 {
		return nil
	}
	runID := calls[0].RunID
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("place calls: %w", err)
	}
	var ids, tasks, paths, queues []string
	var numbers []int
	var onces []bool
	var inputs [][]byte
	for i := range calls {
		c := &calls[i]
		if c.RunID != runID {
			return pg.Refused(errors.New("place calls: they are of several runs"))
		}
		ids, tasks, paths, queues = append(ids, c.ID), append(tasks, c.Task), append(paths, c.Path), append(queues, c.Queue)
		numbers, onces, inputs = append(numbers, c.Number), append(onces, c.Once), append(inputs, c.Inputs)
	}
	tag, err := s.db.Exec(ctx, `insert into svc_calls (id, task, run, path, number, once, queue, inputs)
		select c.id::uuid, c.task::uuid, r.id, c.path, c.number, c.once, c.queue, c.inputs
		from svc_runs r, unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::bool[], $7::text[], $8::bytea[])
			with ordinality c (id, task, path, number, once, queue, inputs, nth)
		where r.id = $1 and r.finished is null order by c.nth on conflict (id) do nothing`,
		id, ids, tasks, paths, numbers, onces, queues, inputs)
	if err == nil && tag.RowsAffected() == 0 {
		err = s.notPlaced(ctx, runID, ids[0])
	}
	return pg.Failed("place calls", err)
}

// notPlaced returns why the calls of a run were not inserted; nil if the call with this id already
// exists.
func (s *Runs) notPlaced(ctx context.Context, runID, id string) error {
	var there bool
	if err := s.db.One(ctx, `select exists (select from svc_calls where id = $1)`, id).Scan(&there); err != nil || there {
		return err
	}
	if _, err := s.Record(ctx, runID); err != nil {
		return err
	}
	return pg.Refused(store.ErrRunEnded)
}

// PlacedCalls implements [store.SharedCalls].
func (s *Runs) PlacedCalls(ctx context.Context, runID string) ([]store.PlacedCall, error) {
	id, err := parseID(runID)
	if err != nil {
		return nil, nil //nolint:nilerr // an invalid run id has no calls
	}
	calls, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (c store.PlacedCall, err error) {
		return c, row.Scan(&c.RunID, &c.ID, &c.Task, &c.Path, &c.Number, &c.Once, &c.Queue)
	}, `select run::text, id::text, coalesce(task, id)::text, path, number, once, queue from svc_calls where run = $1 and not cancelled order by placed`, id)
	return calls, pg.Failed("list calls", err)
}

// BeginAnswer implements [store.SharedCalls].
func (s *Runs) BeginAnswer(ctx context.Context, id, worker string) (c store.PlacedCall, before store.CallState, err error) {
	if uuid.Validate(id) != nil {
		return c, before, store.ErrNoCall
	}
	before.ID = id
	err = s.db.One(ctx, `update svc_calls c set worker = $2 from (select * from svc_calls where id = $1 for update) b where c.id = b.id
		returning b.run::text, b.id::text, coalesce(b.task, b.id)::text, b.path, b.number, b.once, b.queue, b.inputs, coalesce(b.worker, ''), b.outcome is not null, b.cancelled, coalesce(b.progress, '')`,
		id, worker).Scan(&c.RunID, &c.ID, &c.Task, &c.Path, &c.Number, &c.Once, &c.Queue, &c.Inputs, &before.Worker, &before.Answered, &before.Cancelled, &before.Progress)
	if errors.Is(err, pgx.ErrNoRows) {
		err = pg.Refused(store.ErrNoCall)
	}
	return c, before, pg.Failed("answer call", err)
}

// TellProgress implements [store.SharedCalls].
func (s *Runs) TellProgress(ctx context.Context, id, progress string) error {
	return s.changeCall(ctx, `update svc_calls set progress = $2 where id = $1`, id, progress)
}

// AnswerCalls implements [store.SharedCalls].
func (s *Runs) AnswerCalls(ctx context.Context, answers []store.CallAnswer) error {
	var ids []string
	var outcomes [][]byte
	for _, a := range answers {
		if uuid.Validate(a.ID) == nil {
			ids, outcomes = append(ids, a.ID), append(outcomes, a.Outcome)
		}
	}
	// Lock rows in a fixed order, to avoid deadlocks.
	_, err := s.db.Exec(ctx, `with a as (select a.id::uuid, a.outcome from unnest($1::text[], $2::bytea[]) a (id, outcome)),
		c as (select c.id from svc_calls c where c.id in (select id from a) and c.outcome is null order by c.id for update)
		update svc_calls set outcome = a.outcome from a join c using (id) where svc_calls.id = c.id`, ids, outcomes)
	return pg.Failed("answer calls", err)
}

// CancelCall implements [store.SharedCalls].
func (s *Runs) CancelCall(ctx context.Context, id string) error {
	return s.changeCall(ctx, `update svc_calls set cancelled = true where id = $1`, id)
}

func (s *Runs) changeCall(ctx context.Context, query, id string, args ...any) error {
	if uuid.Validate(id) != nil {
		return nil
	}
	_, err := s.db.Exec(ctx, query, append([]any{id}, args...)...)
	return pg.Failed("change call", err)
}

// Outcomes implements [store.SharedCalls].
func (s *Runs) Outcomes(ctx context.Context, ids []string) (map[string][]byte, error) {
	known := callIDs(ids)
	if len(known) == 0 {
		return nil, ctx.Err()
	}
	answers, err := pg.Collect(ctx, s.db, pgx.RowToStructByPos[store.CallAnswer],
		`select id::text, outcome from svc_calls where id = any (array(select unnest($1::text[])::uuid)) and outcome is not null`, known)
	all := make(map[string][]byte, len(answers))
	for _, a := range answers {
		all[a.ID] = a.Outcome
	}
	return all, pg.Failed("read what came of calls", err)
}

// callIDs returns the ids that are valid.
func callIDs(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return uuid.Validate(id) != nil })
}

// CallStates implements [store.SharedCalls].
func (s *Runs) CallStates(ctx context.Context, ids []string) ([]store.CallState, error) {
	known := callIDs(ids)
	if len(known) == 0 {
		return nil, ctx.Err()
	}
	states, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (c store.CallState, err error) {
		return c, row.Scan(&c.ID, &c.Worker, &c.Answered, &c.Cancelled, &c.Progress)
	}, `select id::text, coalesce(worker, ''), outcome is not null, cancelled, coalesce(progress, '')
		from svc_calls where id = any (array(select unnest($1::text[])::uuid))`, known)
	return states, pg.Failed("look how far calls are", err)
}

// forgetCalls deletes the calls of runs that have ended or are deleted.
func (s *Runs) forgetCalls(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `delete from svc_calls c where not exists (select from svc_runs r where r.id = c.run and r.finished is null)`)
	return err
}
