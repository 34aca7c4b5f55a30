package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// What an [ActivationStore] can answer besides an activation.
var (
	// ErrNotActive says that a workflow's triggers are not armed.
	ErrNotActive = errors.New("the workflow is not active")
	// ErrArmedElsewhere says that another process lets the triggers of this store fire.
	ErrArmedElsewhere = errors.New("another process has the triggers of this data directory")
)

// Activation is what is kept of a workflow whose triggers are armed. It has the document
// itself, so that saving the workflow touches nothing that is live.
type Activation struct {
	Revision      int
	Since         time.Time
	Concurrency   int
	OnInterrupted run.OnInterrupted
	Definition    *workflow.Definition
}

// TriggerMemory is what a trigger remembers: JSON on one line; nil forgets it.
type TriggerMemory struct {
	WorkflowID, NodeID string
	Memory             []byte
}

// ActivationStore keeps which workflows are active, and what their triggers remember. It is
// safe for concurrent use. What a method has changed survives a crash of the machine once
// it returns. All of them pass the suite of package storetest.
type ActivationStore interface {
	// Activations returns all of them, one after the other, as there may be more than anybody
	// wants in memory. Of a damaged one there is an error, and the others follow.
	Activations(ctx context.Context) iter.Seq2[Activation, error]
	// Activation returns that of one workflow, or [ErrNotActive].
	Activation(ctx context.Context, workflowID string) (Activation, error)
	// Activate arms a workflow, or puts another activation in the place of the one before,
	// in one step.
	Activate(ctx context.Context, a Activation) error
	// Deactivate forgets an activation and what the workflow's triggers remember; one that
	// is not there is [ErrNotActive].
	Deactivate(ctx context.Context, workflowID string) error

	// Memory returns what a trigger remembers; nil if that is nothing.
	Memory(ctx context.Context, workflowID, nodeID string) ([]byte, error)
	// Remember, which is for who lets triggers fire, keeps what they remember, in the place
	// of what they did before. After an error nothing of it is there.
	Remember(ctx context.Context, all ...TriggerMemory) error

	// Arm makes the caller the one who lets triggers fire, until it calls release, or dies.
	// While another is that, also in another process, the error is [ErrArmedElsewhere].
	Arm(ctx context.Context) (release func(), err error)
}
