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
	Revision int
	// Since is when the workflow became active, and Armed when this revision did: a trigger that
	// others had not yet is armed since then. Armed is zero where nobody has noted it.
	Since, Armed  time.Time
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
	// Remember, which is for who lets triggers fire, keeps what those of active workflows
	// remember, in the place of what they did before. After an error nothing of it is there.
	Remember(ctx context.Context, all ...TriggerMemory) error

	// Arm makes the caller the one who lets triggers fire, until it releases that, loses it, or
	// dies. While another is that, also in another process, the error is [ErrArmedElsewhere].
	Arm(ctx context.Context) (Arming, error)
}

// Arming is the right to let triggers fire.
type Arming struct {
	// Epoch tells it from those before and after it, where many processes take turns; else it
	// is 0.
	Epoch int64
	// Lost is closed when somebody else may have the right. From then on nothing is done for
	// whoever had it. It is nil where nobody can lose it.
	Lost <-chan struct{}
	// Release gives the right back. It may be called again.
	Release func()
}

// ErrActivationsChanged says that activations are others by now than somebody has seen.
var ErrActivationsChanged = errors.New("other activations have changed meanwhile; look at them again")

// SharedActivations is an [ActivationStore] that many processes change, each of which notices
// what others have changed. Changes are numbered: no two have the same number, and who sees one
// sees all before it.
type SharedActivations interface {
	ActivationStore

	// Changed returns the number of the last change; 0 if there was none.
	Changed(ctx context.Context) (int64, error)
	// Actives returns of each active workflow the number of its last change, and the number of
	// the last change of all.
	Actives(ctx context.Context) (of map[string]int64, last int64, err error)
	// ActivateAt is Activate if the last change is still that of a number; else it is
	// [ErrActivationsChanged].
	ActivateAt(ctx context.Context, a Activation, last int64) error
}
