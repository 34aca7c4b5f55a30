package ui

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
)

// arrived is what came into a node when that was asked last: the inspector asks often.
type arrived struct {
	run      *record.Recorder
	revision [2]int // of the run and of the document
	doc      *doc.Document
	id       string
	inputs   map[string]any
}

// came returns what came into a node of the level in the run that is shown; nil if nothing
// is known.
func (v *views) came(id string) map[string]any {
	shown, b := v.runs.Shown(), v.board()
	if shown == nil || b == nil {
		return nil
	}
	now := arrived{run: shown.Record, revision: [2]int{shown.Record.Revision(), b.Document().Revision()}, doc: b.Document(), id: id}
	if a := &v.arrived; a.run != now.run || a.revision != now.revision || a.doc != now.doc || a.id != now.id {
		if subject, ok := runview.SubjectOf(b.Document(), id); ok {
			now.inputs = runview.InputsAt(shown.Record, &subject)
		}
		v.arrived = now
	}
	return v.arrived.inputs
}

// The times of what is told while one types.
const (
	evaluateQuiet = 150 * time.Millisecond
	evaluateMost  = 2 * time.Second
)

// evaluate tells what a node gives that only computes, on this computer. What is asked next
// for the same field takes the place of what is under way.
func (v *views) evaluate(field, typ string, config map[string]any, then func(inspector.Outcome)) {
	try := v.places.Local().Try
	if try == nil {
		return
	}
	latest := v.evaluating[field]
	if latest == nil {
		latest = v.jobs.Latest(evaluateQuiet)
		v.evaluating[field] = latest
	}
	latest.Do(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, evaluateMost)
		defer stop()
		outcome := computed(ctx, try, typ, config)
		return func() { then(outcome) }
	})
}

// computed runs one node by itself.
func computed(ctx context.Context, try func(context.Context, *workflow.Definition, run.Request, func(engine.Event)) error, typ string, config map[string]any) (o inspector.Outcome) {
	const id = "it"
	def := &workflow.Definition{ID: id, Nodes: []workflow.Node{{ID: id, Type: typ, Config: config}}}
	err := try(ctx, def, run.Request{}, func(e engine.Event) {
		if e.Name != engine.EventNode || e.NodeID != id {
			return
		}
		o.Outputs, o.Valid = e.Outputs, e.Status == engine.StatusSucceeded
		if e.Error != nil {
			o.Failure, o.Valid = e.Error.Message, true
		}
	})
	if invalid := engine.ValidationErrors(nil); errors.As(err, &invalid) {
		return inspector.Outcome{}
	}
	return o
}
