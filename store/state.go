package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/workflow"
)

// Errors of a [StateStore].
var (
	// ErrStateValue says that a value exceeds the size limit.
	ErrStateValue = fmt.Errorf("a value of the state has at most %d KiB as JSON; keep what is larger in a file, and its path here", limit.StateValue>>10)
	// ErrStateFull says that all values together exceed the size limit.
	ErrStateFull = fmt.Errorf("the state is full: %d MiB in all; delete keys that are not needed any more, or give them a ttl", limit.StateBytes>>20)
	// ErrStateKey says that a key is not valid.
	ErrStateKey = errors.New("a key of the state has 1 to 200 characters, no control characters among them, and is not made of one or two dots only")
)

// StateKey names a value of a workflow, or, without a workflow, a shared value.
type StateKey struct{ WorkflowID, Key string }

// StateValue is the value of a key.
type StateValue struct {
	Value    []byte    // JSON; nil if the key has no value
	Revision int       // grows with each change of the store, so that values never share one; 0 if the key has no value
	Until    time.Time // when the value expires; zero means never
}

// KeyedState is a value with its key.
type KeyedState struct {
	Key string
	StateValue
}

// Lent is a request which items of a list are new.
type Lent struct {
	Items []string // short texts that identify the items
	Keep  int      // number of seen items to remember; at least the number of Items
	// Holder, if set, borrows the new items: they are not new for others until it settles, or for
	// [LentFor]. Without a holder the items count as seen at once.
	Holder string
}

// LentFor is how long loans last that are never settled, and how long returned loans can be taken
// again.
const LentFor = 24 * time.Hour

// StateStore stores small values that outlive runs, and which items of lists were seen. It is safe
// for concurrent use, also by several processes. A change survives a crash of the machine once the
// method has returned; after an error nothing is changed. All implementations pass the suite of
// package storetest.
type StateStore interface {
	// State returns the value of a key; the zero value if the key has none.
	State(ctx context.Context, key StateKey) (StateValue, error)
	// States returns the values of a workflow, or, without one, the shared values, sorted by key,
	// after a key. It returns those that fit into maxBytes, but at least one. more reports whether
	// further ones follow.
	States(ctx context.Context, workflowID, after string, maxBytes int) (page []KeyedState, more bool, err error)
	// ChangeState atomically replaces a value by the result of change, and returns the new value. A
	// nil Value deletes it. The store sets the revision. change may be called several times; if it
	// returns an error, nothing is changed.
	ChangeState(ctx context.Context, key StateKey, change func(now StateValue) (StateValue, error)) (StateValue, error)
	// Lend reports which items of a list are new under a key: not seen, and not lent to others. Of
	// equal items only the first is new.
	Lend(ctx context.Context, key StateKey, l Lent) (isNew []bool, err error)
	// Settle ends all loans of a holder. The items count as seen, or become new again for others;
	// in that case Relend can take the loans again.
	Settle(ctx context.Context, holder string, seen bool) error
	// Relend takes the returned loans of a holder again, even if others have borrowed the items
	// since.
	Relend(ctx context.Context, holder string) error
	// ForgetState deletes the state of a workflow.
	ForgetState(ctx context.Context, workflowID string) error
}

// CheckStateKey returns [ErrStateKey] if key is not valid.
func CheckStateKey(key string) error {
	if workflow.CheckID(key) != nil {
		return ErrStateKey
	}
	return nil
}
