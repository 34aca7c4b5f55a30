package app

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// What the state cannot do for a caller.
var (
	// ErrNoState says that nothing is kept under a key.
	ErrNoState = errors.New("nothing is kept under this key")
	// ErrStateConflict says that a value is not the expected one.
	ErrStateConflict = errors.New("the value is not the expected one; read it again")
)

// runState is the state as a run sees it.
type runState struct {
	store    store.StateStore
	workflow string
	holder   string // of what it borrows: the run that it goes on with, or itself
}

// stateFor returns the state of a run. One that was not started from the store sees an
// empty one, of its own.
func stateFor(env *drive.Env, start *run.Start, earlier *past) *runState {
	s := &runState{store: env.State, workflow: start.Definition.ID, holder: start.RunID}
	if !start.Stored && start.StartedBy == nil && !env.KeepState {
		s.store = &store.MemoryState{}
	}
	if earlier != nil {
		s.holder = earlier.runs[len(earlier.runs)-1].id
	}
	return s
}

// goOn lets a run have again what those that it goes on with had borrowed, and returns what
// is to be done at its end: a node that is not called again asks for nothing.
func (s *runState) goOn(ctx context.Context) ([]engine.AtEnd, error) {
	return []engine.AtEnd{s.Settle}, s.store.Relend(ctx, s.holder)
}

func (s *runState) key(at node.Place) store.StateKey {
	if at.Shared {
		return store.StateKey{Key: at.Key}
	}
	return store.StateKey{WorkflowID: s.workflow, Key: at.Key}
}

// Get implements [node.State].
func (s *runState) Get(ctx context.Context, at node.Place) (node.Kept, error) {
	v, err := s.store.State(ctx, s.key(at))
	if err != nil {
		return node.Kept{}, stateError(err)
	}
	return keptOf(v)
}

// Change implements [node.State].
func (s *runState) Change(ctx context.Context, at node.Place, change func(now node.Kept) (node.Kept, error)) (node.Kept, error) {
	made, err := s.store.ChangeState(ctx, s.key(at), func(now store.StateValue) (store.StateValue, error) {
		before, err := keptOf(now)
		if err != nil {
			return store.StateValue{}, err
		}
		after, err := change(before)
		if err != nil || !node.Present(after.Value) {
			return store.StateValue{}, err
		}
		return store.StateValue{Value: value.Append(nil, after.Value), Until: after.Until}, nil
	})
	if err != nil {
		return node.Kept{}, stateError(err)
	}
	return keptOf(made)
}

// News implements [node.State].
func (s *runState) News(ctx context.Context, at node.Place, items []string, keep int, seen bool) ([]bool, error) {
	lent := store.Lent{Items: items, Keep: keep, Holder: s.holder}
	if seen {
		lent.Holder = ""
	}
	isNew, err := s.store.Lend(ctx, s.key(at), lent)
	return isNew, stateError(err)
}

// Settle implements [node.State].
func (s *runState) Settle(ctx context.Context, how node.Ending) error {
	if how.Code == node.CodeInterrupted {
		return nil
	}
	return stateError(s.store.Settle(ctx, s.holder, how.Completed))
}

// keptOf returns a value as nodes have it.
func keptOf(v store.StateValue) (node.Kept, error) {
	if v.Value == nil {
		return node.Kept{Value: node.Absent{}}, nil
	}
	made, err := value.Decode(v.Value)
	return node.Kept{Value: made, Revision: v.Revision, Until: v.Until}, err
}

// stateError words an error of the store of state for users, who are told no paths.
func stateError(err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*node.Error](err); ok {
		return known
	}
	switch {
	case errors.Is(err, store.ErrStateValue), errors.Is(err, store.ErrStateFull):
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w", err))
	case errors.Is(err, store.ErrStateKey):
		return node.Permanent(node.Errorf(node.CodeInvalidInput, "%w", err))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isFull(err):
		return &node.Error{Code: node.CodeStorageFull, Message: "there is no room left to keep the state; make room, then resume the run", Err: err}
	}
	return &node.Error{Code: node.CodeUnavailable, Message: "the state cannot be used; see the log of the service", Err: err}
}

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

var _ node.State = (*runState)(nil)
