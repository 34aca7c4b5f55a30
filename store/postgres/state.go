package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// State is a [store.StateStore]. Get it from [Store.State]. It is safe for concurrent use by any
// number of processes. A change locks its key.
type State struct{ db pg.DB }

var _ store.StateStore = (*State)(nil)

// State returns the state in the database. It uses the connections of s; close s after the last
// use.
func (s *Store) State() *State { return &State{pg.DB{Pool: s.pool, Patience: patience}} }

// Estimated size of a value and of an item, in addition to their texts.
const (
	valueRoom = 100
	itemRoom  = 16
)

const selectState = `select value, revision, until from svc_state where workflow = $1 and key = $2`

// stateRow is a row of selectState.
type stateRow struct {
	store.StateValue

	key   string
	until *time.Time
}

func (r *stateRow) read(row pgx.Row, more ...any) error {
	err := row.Scan(append(more, &r.Value, &r.Revision, &r.until)...)
	if r.until != nil {
		r.Until = r.until.UTC()
	}
	return err
}

// now returns the value, or the zero value if it has expired.
func (r *stateRow) now(now time.Time) store.StateValue {
	if r.until != nil && !now.Before(r.Until) {
		return store.StateValue{}
	}
	return r.StateValue
}

func sizeOf(key store.StateKey, value []byte) int {
	if value == nil {
		return 0
	}
	return len(key.WorkflowID) + len(key.Key) + len(value) + valueRoom
}

// State implements [store.StateStore].
func (s *State) State(ctx context.Context, key store.StateKey) (store.StateValue, error) {
	if store.CheckStateKey(key.Key) != nil {
		return store.StateValue{}, ctx.Err()
	}
	var r stateRow
	err := r.read(s.db.One(ctx, selectState, key.WorkflowID, key.Key))
	if errors.Is(err, pgx.ErrNoRows) {
		return store.StateValue{}, nil
	}
	return r.now(time.Now()), pg.Failed("read the state", err)
}

// statesRead is the number of values read per query.
const statesRead = 100

// States implements [store.StateStore].
func (s *State) States(ctx context.Context, workflowID, after string, maxBytes int) (page []store.KeyedState, more bool, err error) {
	for {
		rows, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (r stateRow, err error) {
			err = r.read(row, &r.key)
			return r, err
		}, `select key, value, revision, until from svc_state where workflow = $1 and key > $2
			and (until is null or until > $3) order by key limit $4`, workflowID, after, time.Now(), statesRead)
		if err != nil {
			return nil, false, pg.Failed("list the state", err)
		}
		for _, r := range rows {
			if maxBytes -= len(r.key) + len(r.Value) + valueRoom; maxBytes < 0 && len(page) > 0 {
				return page, true, nil
			}
			page, after = append(page, store.KeyedState{Key: r.key, StateValue: r.StateValue}), r.key
		}
		if len(rows) < statesRead {
			return page, false, nil
		}
	}
}

// ChangeState implements [store.StateStore].
func (s *State) ChangeState(ctx context.Context, key store.StateKey, change func(now store.StateValue) (store.StateValue, error)) (made store.StateValue, err error) {
	if err := store.CheckStateKey(key.Key); err != nil {
		return store.StateValue{}, err
	}
	err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		made, err = s.change(ctx, tx, key, change)
		return err
	})
	if err != nil {
		made = store.StateValue{}
	}
	return made, pg.Failed("change the state", err)
}

func (s *State) change(ctx context.Context, tx pgx.Tx, key store.StateKey, change func(now store.StateValue) (store.StateValue, error)) (made store.StateValue, err error) {
	if err := lockKey(ctx, tx, key); err != nil {
		return made, err
	}
	var before stateRow
	err = before.read(tx.QueryRow(ctx, selectState, key.WorkflowID, key.Key))
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return made, err
	}
	after, err := change(before.now(time.Now()))
	switch {
	case err != nil:
		return made, pg.Refused(err)
	case len(after.Value) > limit.StateValue:
		return made, pg.Refused(store.ErrStateValue)
	case after.Value == nil && before.Value == nil:
		return made, nil
	}
	if err := grow(ctx, tx, sizeOf(key, after.Value)-sizeOf(key, before.Value)); err != nil {
		return made, err
	}
	if after.Value == nil {
		_, err = tx.Exec(ctx, `delete from svc_state where workflow = $1 and key = $2`, key.WorkflowID, key.Key)
		return made, err
	}
	if !after.Until.IsZero() {
		after.Until = after.Until.UTC().Truncate(time.Microsecond) // the precision of the database
		before.until = &after.Until
	} else {
		before.until = nil
	}
	err = tx.QueryRow(ctx, `insert into svc_state (workflow, key, value, revision, until) values ($1, $2, $3, nextval('svc_state_changes'), $4)
		on conflict (workflow, key) do update set value = excluded.value, revision = excluded.revision, until = excluded.until returning revision`,
		key.WorkflowID, key.Key, string(after.Value), before.until).Scan(&after.Revision)
	return after, err
}

// lockKey locks a key until the transaction ends.
func lockKey(ctx context.Context, tx pgx.Tx, key store.StateKey) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('svc state ' || length($1) || ' ' || $1 || $2, 0))`, key.WorkflowID, key.Key)
	return err
}

// grow adds more to the total size, or returns [store.ErrStateFull]. It locks the total until the
// transaction ends, so it should be called late.
func grow(ctx context.Context, tx pgx.Tx, more int) error {
	if more == 0 {
		return nil
	}
	for try := 0; ; try++ {
		tag, err := tx.Exec(ctx, `update svc_state_size set bytes = bytes + $1 where $1 < 0 or bytes + $1 <= $2`, more, limit.StateBytes)
		switch {
		case err != nil || tag.RowsAffected() > 0:
			return err
		case try > 0:
			return pg.Refused(store.ErrStateFull)
		}
		if err := sweep(ctx, tx, time.Now()); err != nil {
			return err
		}
	}
}

// sweep deletes expired values and loans.
func sweep(ctx context.Context, tx pgx.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `with values as (delete from svc_state where until <= $1 returning octet_length(workflow) + octet_length(key) + octet_length(value) + $3 as size),
		loans as (delete from svc_lent where at < $2 returning size)
		update svc_state_size set bytes = bytes - (select coalesce(sum(size), 0) from (select size from values union all select size from loans) gone)`,
		now, now.Add(-store.LentFor), valueRoom)
	return err
}

// ForgetState implements [store.StateStore].
func (s *State) ForgetState(ctx context.Context, workflowID string) error {
	if workflowID == "" {
		return ctx.Err()
	}
	_, err := s.db.Exec(ctx, `with values as (delete from svc_state where workflow = $1 returning octet_length(workflow) + octet_length(key) + octet_length(value) + $2 as size),
		seen as (delete from svc_seen where workflow = $1 returning size),
		loans as (delete from svc_lent where workflow = $1 returning size),
		gone as (select coalesce(sum(size), 0) as size from (select size from values union all select size from seen union all select size from loans) all_of_it)
		update svc_state_size set bytes = bytes - gone.size from gone where gone.size > 0`, workflowID, valueRoom)
	return pg.Failed("forget the state", err)
}
