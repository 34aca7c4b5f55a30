package drive

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/statelog"
)

// State is the state as a run sees it.
type State struct {
	store    store.StateStore
	workflow string
	holder   string // of what it borrows: the run that it goes on with, or itself
}

// NewState returns the state of a run. One that was not started from the store sees an
// empty one, of its own.
func NewState(env *Env, start *run.Start, earlier *Past) *State {
	s := &State{store: env.State, workflow: start.Definition.ID, holder: start.RunID}
	if !start.Stored && start.StartedBy == nil && !env.KeepState {
		s.store = &statelog.Memory{}
	}
	if earlier != nil {
		s.holder = earlier.runs[len(earlier.runs)-1].id
	}
	return s
}

// goOn lets a run have again what those that it goes on with had borrowed, and returns what
// is to be done at its end: a node that is not called again asks for nothing.
func (s *State) goOn(ctx context.Context) ([]engine.AtEnd, error) {
	return []engine.AtEnd{s.Settle}, s.store.Relend(ctx, s.holder)
}

func (s *State) key(at node.StateKey) store.StateKey {
	if at.Shared {
		return store.StateKey{Key: at.Key}
	}
	return store.StateKey{WorkflowID: s.workflow, Key: at.Key}
}

// Get implements [node.State].
func (s *State) Get(ctx context.Context, at node.StateKey) (node.StateValue, error) {
	v, err := s.store.State(ctx, s.key(at))
	if err != nil {
		return node.StateValue{}, stateError(err)
	}
	return keptOf(v)
}

// Change implements [node.State].
func (s *State) Change(ctx context.Context, at node.StateKey, change func(now node.StateValue) (node.StateValue, error)) (node.StateValue, error) {
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
		return node.StateValue{}, stateError(err)
	}
	return keptOf(made)
}

// News implements [node.State].
func (s *State) News(ctx context.Context, at node.StateKey, items []string, keep int, seen bool) ([]bool, error) {
	lent := store.Lent{Items: items, Keep: keep, Holder: s.holder}
	if seen {
		lent.Holder = ""
	}
	isNew, err := s.store.Lend(ctx, s.key(at), lent)
	return isNew, stateError(err)
}

// Settle implements [node.State].
func (s *State) Settle(ctx context.Context, how node.Ending) error {
	if how.Code == node.CodeInterrupted {
		return nil
	}
	return stateError(s.store.Settle(ctx, s.holder, how.Completed))
}

// keptOf returns a value as nodes have it.
func keptOf(v store.StateValue) (node.StateValue, error) {
	if v.Value == nil {
		return node.StateValue{Value: node.Absent{}}, nil
	}
	made, err := value.Decode(v.Value)
	return node.StateValue{Value: made, Revision: v.Revision, Until: v.Until}, err
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

var _ node.State = (*State)(nil)
