package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/workflow"
)

// What a [StateStore] refuses.
var (
	// ErrStateValue says that a value is larger than one may be.
	ErrStateValue = fmt.Errorf("a value of the state has at most %d KiB as JSON; keep what is larger in a file, and its path here", limit.StateValue>>10)
	// ErrStateFull says that all values together are larger than they may be.
	ErrStateFull = fmt.Errorf("the state is full: %d MiB in all; delete keys that are not needed any more, or give them a ttl", limit.StateBytes>>20)
	// ErrStateKey says that a text can be no key.
	ErrStateKey = errors.New("a key of the state has 1 to 200 characters, no control characters among them, and is not made of one or two dots only")
)

// StateKey names a value: one of a workflow, or without one, of all of them.
type StateKey struct{ WorkflowID, Key string }

// StateValue is what is kept under a key.
type StateValue struct {
	Value    []byte    // JSON; nil if there is none
	Revision int       // grows with each change of the store, so no two values have the same; 0 if there is none
	Until    time.Time // when the value is forgotten by itself; zero if it is not
}

// KeyedState is a value with its key.
type KeyedState struct {
	Key string
	StateValue
}

// Lent is a list of items and who asks which of them are new.
type Lent struct {
	Items []string // what tells them apart; short
	Keep  int      // how many are remembered as seen, at least; never less than there are Items
	// Holder, if set, borrows those that are new: nobody else sees them as new until it
	// settles, or for [LentFor]. Without one they are seen at once.
	Holder string
}

// LentFor is how long items are lent to somebody who never settles, and how long is known
// what was lent to somebody who has given it back.
const LentFor = 24 * time.Hour

// StateStore keeps small values that outlive runs, and which items of lists were seen. It
// is safe for concurrent use, also by several processes. What a method has changed survives
// a crash of the machine once it returns; after an error nothing is changed. All of them
// pass the suite of package storetest.
type StateStore interface {
	// State returns the value of a key; the zero value if there is none.
	State(ctx context.Context, key StateKey) (StateValue, error)
	// States returns the values of a workflow, or without one of all of them, sorted by key, from
	// behind a key on: those that fit into maxBytes, but at least one. more says that others
	// follow.
	States(ctx context.Context, workflowID, after string, maxBytes int) (page []KeyedState, more bool, err error)
	// ChangeState puts what change makes of a value in its place, in one step; no Value
	// deletes it. Revisions are the store's. change may be called several times; its error
	// changes nothing. The result is what is there then.
	ChangeState(ctx context.Context, key StateKey, change func(now StateValue) (StateValue, error)) (StateValue, error)
	// Lend tells which items of a list are new under a key: not seen, and not lent to
	// others. Of items that are alike the first is new.
	Lend(ctx context.Context, key StateKey, l Lent) (isNew []bool, err error)
	// Settle ends what is lent to a holder. The items are seen, or new again for others; in
	// that case the holder may borrow them again, all at once, by Relend.
	Settle(ctx context.Context, holder string, seen bool) error
	// Relend lends a holder again what it has given back, whatever others have borrowed
	// since.
	Relend(ctx context.Context, holder string) error
	// ForgetState deletes all that is kept for a workflow.
	ForgetState(ctx context.Context, workflowID string) error
}

// CheckStateKey reports whether a text can be the key of a value.
func CheckStateKey(key string) error {
	if workflow.CheckID(key) != nil {
		return ErrStateKey
	}
	return nil
}
