package app

import (
	"errors"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// MaxAsync is how many asynchronous runs may go on at once (docs/design.md, Limits). For
// more, run several instances.
const MaxAsync = 10

// Why a run cannot be started, cancelled or resumed, besides those of
// [engine.ValidationErrors] and of the stores.
var (
	// ErrRunLimit says that [MaxAsync] runs are going on.
	ErrRunLimit = errors.New("as many runs as may go on at once are going on; try again when one has ended")
	// ErrStopping says that the App takes no more runs, for it is being closed.
	ErrStopping = errors.New("the service is stopping; try again when it is back")
	// ErrRunEnded says that there is nothing left to cancel.
	ErrRunEnded = errors.New("the run has ended already")
	// ErrRunNotResumable says that there is nothing to go on with.
	ErrRunNotResumable = errors.New("only a run that has ended, and is not being resumed already, can be resumed; one that has completed only with another workflow, other inputs, or from a node")
	// ErrKeyReused says that an idempotency key came with another request before.
	ErrKeyReused = errors.New("this idempotency key was used for another request; use a new one")
	// ErrKeyTooLong says that an idempotency key has more than [MaxKey] bytes.
	ErrKeyTooLong = errors.New("the idempotency key is too long; use at most 255 characters")
)

// ErrBusy says that as many runs as may go on at once are going on.
var ErrBusy = errors.New("too many runs at once; try again later")

// ErrCrowded says that there is too little memory for another run.
var ErrCrowded = errors.New("most of the memory of the service is in use; try again later")

// errInterrupted is the end of a run that its service did not live to see.
var errInterrupted = node.Errorf(node.CodeInterrupted, "the service stopped while the run was going on; resume it")

// MaxKey is how many bytes an idempotency key may have (docs/design.md, HTTP).
const MaxKey = limit.IdempotencyKey
