package node

import (
	"context"
	"time"
)

// State is the small values that outlive runs, as a run sees them: those of its workflow,
// and those shared by all workflows. Changes are durable when a method returns.
type State interface {
	// Get returns a value; its Revision is 0 if there is none.
	Get(ctx context.Context, at StateKey) (StateValue, error)
	// Change replaces a value atomically with the result of change. If the Value of the
	// result is [Absent], it deletes the value. change may be called several times. Change
	// returns the new value.
	Change(ctx context.Context, at StateKey, change func(now StateValue) (StateValue, error)) (StateValue, error)
	// News reports which items of a list are new. Items are compared by short texts. An
	// item is new if it was not seen before and no other run has borrowed it. With seen,
	// new items count as seen at once; otherwise the run borrows them until Settle. keep is
	// the minimum number of items to remember.
	News(ctx context.Context, at StateKey, items []string, keep int, seen bool) ([]bool, error)
	// Settle marks all borrowed items as seen if the run has completed; otherwise it
	// releases them for other runs. An interrupted run, which may be resumed, keeps them.
	Settle(ctx context.Context, how Ending) error
}

// StateKey is the name of a value of the state.
type StateKey struct {
	Shared bool // by all workflows
	Key    string
}

// StateValue is a value of the state.
type StateValue struct {
	Value    any       // [Absent] deletes it
	Revision int       // changes with each change; 0 if there is no value
	Until    time.Time // when it expires; zero means never
}

// StateContextKey is the key of the [State] of a run in the contexts of its calls.
type StateContextKey struct{}

// StateOf returns the state of the run of the node called with ctx; nil outside a run.
func StateOf(ctx context.Context) State {
	s, _ := ctx.Value(StateContextKey{}).(State)
	return s
}
