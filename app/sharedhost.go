package app

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// triggers lets triggers fire: in one process, or in one of many.
type triggers interface {
	Hooks(ctx context.Context, escaped string) ([]*trigger.Hook, []map[string]string)
	Fire(h *trigger.Hook, f node.Firing, runID string) (string, error)
	RunByKey(ctx context.Context, h *trigger.Hook, key string) (runID string, err error)
	Refused(h *trigger.Hook)
	Activate(ctx context.Context, a store.Activation, plan *engine.Plan) (run.Activation, error)
	Deactivate(ctx context.Context, workflowID string) error
	Activation(ctx context.Context, workflowID string) (run.Activation, error)
	Activations(ctx context.Context) ([]run.Activation, error)
	Upcoming(workflowID, nodeID string, n int) []time.Time
	Counts() map[string]trigger.Counts
	Forget(runID string)
	Close()
}

// sharedHost starts the runs of triggers that several processes enqueue.
type sharedHost struct {
	triggerHost

	waits runs.SharedTriggerQueue
}

// Arrived implements trigger.SharedHost.
func (h sharedHost) Arrived(ctx context.Context, since time.Time) ([]trigger.Waiting, error) {
	records, err := h.waits.Arrived(ctx, since)
	all := make([]trigger.Waiting, len(records))
	for i := range records {
		all[i] = recordWaiting(&records[i])
	}
	return all, err
}

func recordWaiting(r *run.Record) trigger.Waiting {
	w := trigger.Waiting{RunID: r.RunID, WorkflowID: r.WorkflowID, At: r.StartedAt}
	if r.StartedBy != nil {
		w.Node, w.Type = r.StartedBy.Trigger, r.StartedBy.Type
	}
	return w
}

// Waiting implements trigger.Host.
func (h sharedHost) Waiting(ctx context.Context) ([]trigger.Waiting, error) {
	return h.Arrived(ctx, time.Time{})
}

// Inbox implements trigger.SharedHost.
func (h sharedHost) Inbox(ctx context.Context) (store.Inbox, error) { return h.waits.Inbox(ctx) }

// askedAgain is the pause before Await retries after a failure of the store.
const askedAgain = time.Second

// Await implements trigger.Host. Other processes take over shared runs, so an interrupted one is
// never resumed automatically.
func (h sharedHost) Await(ctx context.Context, runID string) (interrupted bool, err error) {
	for {
		if _, err = h.triggerHost.Await(ctx, runID); !errors.Is(err, store.ErrUnavailable) {
			return false, err
		}
		if err := node.Sleep(ctx, askedAgain); err != nil {
			return false, err
		}
	}
}
