package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// maxDeliveries is how many runs one delivery may start, each after the one before has failed.
const maxDeliveries = 100

// deliver decides what happens to a delivery that may have come before. If it was delivered, or
// its run goes on, deliver returns that run. Otherwise it sets the key of f to one that starts a
// run; concurrent calls get the same key, so they start one run.
func (a *App) deliver(ctx context.Context, h *trigger.Hook, f *node.Firing, awaits node.Awaits) (runID string, err error) {
	first := f.Key
	for n := 1; first != ""; n++ {
		if n > 1 {
			f.Key = fmt.Sprintf("%s\ndelivery %d", first, n)
		}
		before, err := a.triggers.RunByKey(ctx, h, f.Key)
		if err != nil || before == "" {
			return "", err
		}
		runID, done, err := a.delivered(ctx, before, awaits)
		if err != nil || done || n == maxDeliveries {
			return runID, err
		}
	}
	return "", nil
}

// delivered reports whether a run, or the one that resumed it, has taken its delivery or still may.
// A run that is not kept any more has. runID is the run that counts.
func (a *App) delivered(ctx context.Context, first string, awaits node.Awaits) (runID string, done bool, err error) {
	for runID = first; ; {
		record, err := a.Record(ctx, runID)
		switch {
		case errors.Is(err, store.ErrRunNotFound), errors.Is(err, store.ErrRunGone), errors.Is(err, store.ErrRunDamaged):
			return runID, true, nil
		case err != nil:
			return "", false, err
		case record.Status.GoesOn():
			return runID, true, nil
		}
		if awaits == node.AwaitNode {
			if reply, err := a.replyOf(ctx, runID); err != nil || reply != nil {
				return runID, reply != nil && reply.Status < http.StatusMultipleChoices, err
			}
		}
		if record.Status == engine.StatusCompleted {
			return runID, true, nil
		}
		resumed, err := a.Runs(ctx, run.Query{ResumedFrom: runID, Limit: 1})
		if err != nil || len(resumed.Items) == 0 {
			return runID, false, err
		}
		runID = resumed.Items[0].RunID
	}
}

// replyOf returns what the first trigger.respond of an ended run answered; nil if there is none.
func (a *App) replyOf(ctx context.Context, runID string) (*node.Reply, error) {
	record, err := a.Run(ctx, runID)
	if err != nil || record.Result == nil {
		return nil, err
	}
	return recordedReply(record.Result), nil
}

// recordedReply returns the answer in the outputs of a run, or nil. Nodes in bodies do not count.
func recordedReply(result *engine.Result) *node.Reply {
	for _, id := range result.Order {
		n := result.Nodes[id]
		if sent, ok := n.Outputs[node.ReplyOutput].(map[string]any); ok {
			if reply, ok := node.ReplyFrom(sent); ok {
				return &reply
			}
		}
	}
	return nil
}
