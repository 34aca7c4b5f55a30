package runs

import (
	"errors"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// MaxAsync is the number of run slots for asynchronous runs (docs/design.md, Limits). For more,
// run several instances.
const MaxAsync = 10

// Reasons why a run cannot be started, cancelled or resumed. Stores have errors of their own, and
// an invalid workflow is engine.ValidationErrors.
var (
	// ErrRunLimit means that all [MaxAsync] run slots are taken.
	ErrRunLimit = errors.New("as many runs as may go on at once are going on; try again when one has ended")
	// ErrStopping means that the App is being closed.
	ErrStopping = errors.New("the service is stopping; try again when it is back")
	// ErrRunEnded means that the run cannot be cancelled: it has ended.
	ErrRunEnded = errors.New("the run has ended already")
	// ErrRunNotResumable means that the run is unfinished or is being resumed, or that resuming it would change
	// nothing.
	ErrRunNotResumable = errors.New("only a run that has ended, and is not being resumed already, can be resumed; one that has completed only with another workflow, other inputs, or from a node")
	// ErrKeyReused means that the idempotency key was used for another request.
	ErrKeyReused = errors.New("this idempotency key was used for another request; use a new one")
	// ErrKeyTooLong means that an idempotency key has more than [MaxKey] bytes.
	ErrKeyTooLong = errors.New("the idempotency key is too long; use at most 255 characters")
)

// ErrBusy means that all run slots for synchronous runs are taken.
var ErrBusy = errors.New("too many runs at once; try again later")

// ErrCrowded means that there is too little memory for another run.
var ErrCrowded = errors.New("most of the memory of the service is in use; try again later")

// ErrInterrupted is the failure of a run whose process stopped before the run ended.
var ErrInterrupted = node.Errorf(node.CodeInterrupted, "the service stopped while the run was going on; resume it")

// MaxKey is the largest idempotency key in bytes (docs/design.md, HTTP).
const MaxKey = limit.IdempotencyKey
