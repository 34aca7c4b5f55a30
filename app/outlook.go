package app

import (
	"context"

	"github.com/svcflow/svc/engine/run"
)

// Limits on the next times in descriptions of activations: each time costs a walk through the
// schedule of its trigger.
const (
	shownTimes    = 3
	shownOutlooks = 1000
)

// outlook adds to triggers of a workflow, or of those that they name, when they fire next
// and what has become of their last runs.
func (a *App) outlook(ctx context.Context, workflowID string, triggers []run.Trigger) {
	for i := range triggers[:min(len(triggers), shownOutlooks)] {
		t := &triggers[i]
		of := workflowID
		if of == "" {
			of = t.WorkflowID
		}
		if !t.Next.IsZero() {
			t.Upcoming = a.triggers.Upcoming(of, t.NodeID, shownTimes)
		}
		if t.LastRunID == "" {
			continue
		}
		if record, err := a.runs.Record(ctx, t.LastRunID); err == nil { // it may not be kept any more
			t.LastStatus = record.Status
		}
	}
}
