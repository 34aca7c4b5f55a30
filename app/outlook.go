package app

import (
	"cmp"
	"context"
	"strings"
	"time"

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

// hookProblemsWithin bounds the time to read the secrets of all hooks in a list.
const hookProblemsWithin = 5 * time.Second

// addHookProblems adds to hooks of a workflow, or of those that they name, why they cannot be
// called. Hooks whose secrets cannot be read in time are left out.
func (a *App) addHookProblems(ctx context.Context, workflowID string, triggers []run.Trigger) {
	ctx, cancel := context.WithTimeout(ctx, hookProblemsWithin)
	defer cancel()
	for i := range triggers[:min(len(triggers), shownOutlooks)] {
		t := &triggers[i]
		if t.URL == "" || t.Problem != "" {
			continue
		}
		hooks, _ := a.triggers.Hooks(ctx, strings.TrimPrefix(t.URL, "/hooks/"))
		for _, h := range hooks {
			if h.NodeID() != t.NodeID || h.WorkflowID() != cmp.Or(workflowID, t.WorkflowID) || h.Ready == nil {
				continue
			}
			if err := h.Ready(ctx); err != nil && ctx.Err() == nil {
				t.Problem = err.Error()
			}
		}
	}
}
