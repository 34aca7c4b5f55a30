package node

import (
	"context"
	"time"
)

// State is the small values that outlive runs, as a run sees them: those of its workflow,
// and those that all workflows share. All of it is on the disk when a method returns.
type State interface {
	// Get returns a value; its Revision is 0 if there is none.
	Get(ctx context.Context, at StateKey) (StateValue, error)
	// Change puts what change makes of a value in its place, in one step; absent, that is
	// no Value, deletes it. change may be called several times. The result is what is there then.
	Change(ctx context.Context, at StateKey, change func(now StateValue) (StateValue, error)) (StateValue, error)
	// News tells which items of a list are new, told apart by short texts: they were not
	// seen before, and no other run has borrowed them. They are seen at once, or else lent
	// to the run until Settle. keep is how many are remembered at least.
	News(ctx context.Context, at StateKey, items []string, keep int, seen bool) ([]bool, error)
	// Settle has all that the run has borrowed seen if the run has completed; else others
	// may have it. An interrupted run, which can go on, keeps it.
	Settle(ctx context.Context, how Ending) error
}

// StateKey names a value of the state.
type StateKey struct {
	Shared bool // with all workflows
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
