package ui

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/desk"
)

// firing is what the user wants to fire when a work is run: the zero firing is that nobody
// was asked.
type firing struct {
	trigger string
	payload map[string]any
}

// triggersOf returns the nodes with which a run of a definition can begin.
func triggersOf(work *desk.Work, def *workflow.Definition) (ids []string) {
	for i := range def.Nodes {
		n := &def.Nodes[i]
		if spec, ok := work.Document.Specs().Lookup(n.Type); ok && spec.Role == node.RoleTrigger && !n.Disabled {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// CanFire reports whether there is a trigger in what is on the desk.
func (r *running) CanFire() bool {
	work := r.desk.Work()
	return work != nil && len(triggersOf(work, work.Document.Definition())) > 0
}

// StartWith runs the document with the trigger and the event that the user names.
func (r *running) StartWith() {
	if work := r.desk.Work(); work != nil && !r.Past() && r.CanFire() {
		r.askFiring(work, work.Document.Definition(), firing{}, nil)
	}
}

// fires returns what fires when a definition is run. ok is false if the user has to be
// asked: there are several triggers, and none was chosen before.
func (r *running) fires(work *desk.Work, def *workflow.Definition) (f firing, ok bool) {
	triggers := triggersOf(work, def)
	switch {
	case len(triggers) == 0:
		return firing{}, true
	case slices.Contains(triggers, r.firing.trigger):
		return r.firing, true
	case len(triggers) == 1:
		return firing{trigger: triggers[0]}, true
	}
	return firing{}, false
}

// askFiring asks which trigger fires and with what, and runs the definition so. What is
// proposed is a firing, or what fired last here.
func (r *running) askFiring(work *desk.Work, def *workflow.Definition, proposed firing, anew []string) {
	ids, chosen := triggersOf(work, def), 0
	triggers := make([]ask.Trigger, len(ids))
	for i, id := range ids {
		triggers[i] = ask.Trigger{ID: id, Title: id}
		if title := r.views.titleOf(id); title != "" && title != id {
			triggers[i].Title = title + " (" + id + ")"
		}
		if proposed.trigger == "" && id == r.firing.trigger || id == proposed.trigger {
			chosen = i
		}
		if last, err := r.gave(id); err == nil && len(last.Outputs) > 0 {
			triggers[i].Last = string(value.Indent(nil, last.Outputs))
		}
		if id == proposed.trigger {
			triggers[i].Last = string(value.Indent(nil, proposed.payload))
		}
	}
	r.dialogs.AskTrigger(triggers, chosen, func(id string, payload map[string]any) {
		if r.desk.Work() == work {
			r.firing = firing{id, payload}
			r.launch(work, def, anew)
		}
	})
}

// tellFiring says what fires, and how to have something else.
func (r *running) tellFiring(f firing) {
	if f.trigger == "" {
		r.views.Tell("", false)
		return
	}
	r.views.Tell(lang.L("The trigger “{{.Name}}” fires.", map[string]any{"Name": f.trigger}), false)
	r.views.status.about = r.StartWith
}
