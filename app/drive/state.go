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

// State implements [node.State] for one run.
type State struct {
	store    store.StateStore
	workflow string
	holder   string // borrows items: the first run of a chain of resumed ones
}

// NewState returns the state of a run. A run that was not started from the store gets an empty
// state of its own.
func NewState(env *Env, start *run.Start, earlier *EarlierRuns) *State {
	s := &State{store: env.State, workflow: start.Definition.ID, holder: start.RunID}
	if !start.Stored && start.StartedBy == nil && !env.KeepState {
		s.store = &statelog.Memory{}
	}
	if earlier != nil {
		s.holder = earlier.runs[len(earlier.runs)-1].id
	}
	return s
}

// relend gives a resumed run the items that the runs before it had borrowed, and returns what to
// do at its end: nodes that are not called again do not register it themselves.
func (s *State) relend(ctx context.Context) ([]engine.AtEnd, error) {
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
	return storedValue(v)
}

// Change implements [node.State].
func (s *State) Change(ctx context.Context, at node.StateKey, change func(now node.StateValue) (node.StateValue, error)) (node.StateValue, error) {
	made, err := s.store.ChangeState(ctx, s.key(at), func(now store.StateValue) (store.StateValue, error) {
		before, err := storedValue(now)
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
	return storedValue(made)
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

// storedValue converts a stored value for nodes.
func storedValue(v store.StateValue) (node.StateValue, error) {
	if v.Value == nil {
		return node.StateValue{Value: node.Absent{}}, nil
	}
	made, err := value.Decode(v.Value)
	return node.StateValue{Value: made, Revision: v.Revision, Until: v.Until}, err
}

// stateError describes an error of the state store for users, without paths.
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
