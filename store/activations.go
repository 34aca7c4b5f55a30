package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// Errors of an [ActivationStore].
var (
	// ErrNotActive says that a workflow's triggers are not armed.
	ErrNotActive = errors.New("the workflow is not active")
	// ErrArmedElsewhere says that another process fires the triggers of this store.
	ErrArmedElsewhere = errors.New("another process has the triggers of this data directory")
)

// Activation describes a workflow whose triggers are armed. It contains a copy of the document, so
// that saving the workflow does not change what is active.
type Activation struct {
	Revision int
	// Since is when the workflow was activated, Armed when this revision was. A trigger that an
	// earlier revision did not have is armed since Armed. Armed is zero if it was not recorded.
	Since, Armed  time.Time
	Concurrency   int
	OnInterrupted run.OnInterrupted
	Definition    *workflow.Definition
}

// TriggerMemory is the saved state of a trigger: JSON on one line; nil deletes it.
type TriggerMemory struct {
	WorkflowID, NodeID string
	Memory             []byte
}

// ActivationStore stores which workflows are active, and the state of their triggers. It is safe
// for concurrent use. A change survives a crash of the machine once the method has returned. All
// implementations pass the suite of package storetest.
type ActivationStore interface {
	// Activations iterates over all activations, since there may be too many for memory. For a
	// damaged activation it yields an error and then continues.
	Activations(ctx context.Context) iter.Seq2[Activation, error]
	// Activation returns the activation of a workflow, or [ErrNotActive].
	Activation(ctx context.Context, workflowID string) (Activation, error)
	// Activate activates a workflow, or atomically replaces its activation.
	Activate(ctx context.Context, a Activation) error
	// Deactivate deletes an activation and the state of its triggers. It returns [ErrNotActive] if
	// there is no activation.
	Deactivate(ctx context.Context, workflowID string) error

	// Memory returns the state of a trigger; nil if there is no state.
	Memory(ctx context.Context, workflowID, nodeID string) ([]byte, error)
	// Remember replaces the state of triggers of active workflows, all or nothing. Only the process
	// that fires triggers may call it.
	Remember(ctx context.Context, all ...TriggerMemory) error

	// Arm makes the caller the only one that fires triggers, until it releases that right, loses it
	// or dies. While another caller, also in another process, has the right, it returns
	// [ErrArmedElsewhere].
	Arm(ctx context.Context) (Arming, error)
}

// Arming is the right to fire triggers.
type Arming struct {
	// Epoch identifies this arming among others, if several processes can take turns; otherwise it
	// is 0.
	Epoch int64
	// Lost is closed when another process may have the right. The store then rejects changes by the
	// previous holder. Lost is nil if the right cannot be lost.
	Lost <-chan struct{}
	// Release gives the right up. It may be called repeatedly.
	Release func()
}

// ErrActivationsChanged says that activations have changed since the caller read them.
var ErrActivationsChanged = errors.New("other activations have changed meanwhile; look at them again")

// SharedActivations is an [ActivationStore] that several processes change. Changes are numbered, so
// that each process notices the changes of others. Numbers are unique, and a process that sees a
// change also sees all earlier ones.
type SharedActivations interface {
	ActivationStore

	// Changed returns the number of the last change; 0 before the first.
	Changed(ctx context.Context) (int64, error)
	// Actives returns, for each active workflow, the number of its last change, and the number of
	// the last change of all.
	Actives(ctx context.Context) (of map[string]int64, last int64, err error)
	// ActivateAt is Activate if the number of the last change is last; otherwise it returns
	// [ErrActivationsChanged].
	ActivateAt(ctx context.Context, a Activation, last int64) error
}
