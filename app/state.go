package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Errors of state operations.
var (
	// ErrNoState says that nothing is kept under a key.
	ErrNoState = errors.New("nothing is kept under this key")
	// ErrStateConflict says that a value is not the expected one.
	ErrStateConflict = errors.New("the value is not the expected one; read it again")
)

// State returns what is kept under a key of a workflow, or with no workflow of all of them;
// the error is [ErrNoState] if that is nothing.
func (a *App) State(ctx context.Context, workflowID, key string) (run.State, error) {
	v, err := a.env.State.State(ctx, store.StateKey{WorkflowID: workflowID, Key: key})
	if err != nil {
		return run.State{}, err
	}
	return stateOf(key, v)
}

// statesBytes is about how much of the state a page has.
const statesBytes = 1 << 20

// States lists what is kept for a workflow, or with no workflow for all of them, sorted by
// key; cursor is where the page before has ended.
func (a *App) States(ctx context.Context, workflowID, cursor string) (run.StatePage, error) {
	page := run.StatePage{Items: []run.State{}}
	all, more, err := a.env.State.States(ctx, workflowID, cursor, statesBytes)
	if err != nil {
		return page, err
	}
	for _, v := range all {
		kept, err := stateOf(v.Key, v.StateValue)
		if err != nil {
			return page, err
		}
		page.Items = append(page.Items, kept)
		if page.NextCursor = ""; more {
			page.NextCursor = v.Key
		}
	}
	return page, nil
}

// SetState puts a value under a key, provided that cond holds, whose digests are revisions;
// else the error is [ErrStateConflict]. A workflow has to be stored for that, unless those have
// state that are not ([Config.KeepState]). ttl, unless it
// is 0, is after which time the value is forgotten.
func (a *App) SetState(ctx context.Context, workflowID, key string, v any, ttl time.Duration, cond workflow.Condition) (run.State, error) {
	if workflowID != "" && !a.env.KeepState {
		if _, err := a.store.Load(ctx, workflowID); errors.Is(err, workflow.ErrNotFound) {
			return run.State{}, err
		}
	}
	after := store.StateValue{Value: value.Append(nil, v)}
	if ttl > 0 {
		after.Until = time.Now().Add(ttl)
	}
	made, err := a.changeState(ctx, workflowID, key, after, cond)
	if err != nil {
		return run.State{}, err
	}
	return stateOf(key, made)
}

// DeleteState deletes what is kept under a key, provided that cond holds; else the error is
// [ErrStateConflict]. Nothing being there is no error.
func (a *App) DeleteState(ctx context.Context, workflowID, key string, cond workflow.Condition) error {
	_, err := a.changeState(ctx, workflowID, key, store.StateValue{}, cond)
	return err
}

func (a *App) changeState(ctx context.Context, workflowID, key string, after store.StateValue, cond workflow.Condition) (store.StateValue, error) {
	return a.env.State.ChangeState(ctx, store.StateKey{WorkflowID: workflowID, Key: key}, func(now store.StateValue) (store.StateValue, error) {
		if !cond.Holds(now.Revision != 0, strconv.Itoa(now.Revision)) {
			return now, ErrStateConflict
		}
		return after, nil
	})
}

func stateOf(key string, v store.StateValue) (run.State, error) {
	if v.Value == nil {
		return run.State{}, ErrNoState
	}
	made, err := value.Decode(v.Value)
	return run.State{Key: key, Value: made, Revision: v.Revision, ExpiresAt: v.Until}, err
}
