package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/workspace"
)

// firing is the trigger and the event to start a run with. Zero means that the user was not
// asked.
type firing struct {
	trigger string
	payload map[string]any
}

// triggersOf returns the trigger nodes of a definition.
func triggersOf(work *workspace.Session, def *workflow.Definition) (ids []string) {
	for i := range def.Nodes {
		n := &def.Nodes[i]
		if spec, ok := work.Document.Specs().Lookup(n.Type); ok && spec.Role == node.RoleTrigger && !n.Disabled {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// CanFire reports whether the open workflow has a trigger.
func (r *runCommands) CanFire() bool {
	work := r.workspace.Active()
	return work != nil && len(triggersOf(work, work.Document.Definition())) > 0
}

// StartWith runs the document with the trigger and the event that the user chooses.
func (r *runCommands) StartWith() {
	if work := r.workspace.Active(); work != nil && !r.Past() && r.CanFire() {
		r.askFiring(work, work.Document.Definition(), firing{}, nil)
	}
}

// fires returns the trigger that fires in a run of a definition. ok is false if the user must
// be asked: there are several triggers, and none was chosen before.
func (r *runCommands) fires(work *workspace.Session, def *workflow.Definition) (f firing, ok bool) {
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

// askFiring asks for the trigger and its event, and runs the definition with them. It
// proposes a firing, or the last one of this window.
func (r *runCommands) askFiring(work *workspace.Session, def *workflow.Definition, proposed firing, anew []string) {
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
		if r.workspace.Active() == work {
			r.firing = firing{id, payload}
			r.launch(work, def, anew)
		}
	})
}

// tellFiring shows the trigger that fires, and how to change it.
func (r *runCommands) tellFiring(f firing) {
	if f.trigger == "" {
		r.views.Tell("", false)
		return
	}
	r.views.Tell(lang.L("The trigger “{{.Name}}” fires.", map[string]any{"Name": f.trigger}), false)
	r.views.status.about = r.StartWith
}

// CanActivate reports whether the open workflow is stored by the current server, so that it
// can be activated there.
func (r *runCommands) CanActivate() bool {
	work, here := r.workspace.Active(), r.hosts.Here()
	return work != nil && here.URL != "" && work.Origin().ID != "" && work.Origin().Server == here.URL && r.CanFire()
}

// ShowActivation shows whether the open workflow is active at its server and when it fires
// next, and lets the user switch it.
func (r *runCommands) ShowActivation() {
	if !r.CanActivate() {
		return
	}
	r.activating(lang.L("Asking the server…"), func(context.Context, hosts.Backend, string) error { return nil })
}

// activating changes the activation of the open workflow and shows the result.
func (r *runCommands) activating(what string, do func(ctx context.Context, at hosts.Backend, id string) error) {
	work, at := r.workspace.Active(), r.hosts.Here()
	id, edited := work.Origin().ID, work.Document.Edited()
	r.jobs.Go(job.Reporting(user{r.dialogs, r.views}, what, func(ctx context.Context) (func(), error) {
		if err := do(ctx, at.Backend, id); err != nil {
			return nil, err
		}
		all, err := at.Backend.Activations(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			if r.workspace.Active() != work {
				return
			}
			i := slices.IndexFunc(all, func(a run.Activation) bool { return a.WorkflowID == id })
			if i < 0 {
				r.showActivation(run.Activation{}, true, edited)
				return
			}
			r.showActivation(all[i], false, edited)
		}, nil
	}))
}

func (r *runCommands) showActivation(now run.Activation, off, edited bool) {
	a := ask.Activation{Active: !off, Revision: now.Revision, Elsewhere: now.Elsewhere, Edited: edited}
	for _, t := range now.Triggers {
		line := ask.ArmedTrigger{Title: r.views.titleOf(t.NodeID), LastError: t.LastError, Next: nextIn(t.Next, time.Now())}
		if line.Title == "" {
			line.Title = t.NodeID
		}
		if !t.LastFiredAt.IsZero() {
			line.Last = runview.Ago(t.LastFiredAt, time.Now())
		}
		if line.Address = t.URL; strings.HasPrefix(t.URL, "/") {
			line.Address = r.hosts.Here().URL + t.URL
		}
		if t.LastRunID != "" && !r.Past() {
			line.UseLast = func() { r.useLast(t.NodeID) }
		}
		a.Triggers = append(a.Triggers, line)
	}
	a.Activate = func() {
		r.activating(lang.L("Activating…"), func(ctx context.Context, at hosts.Backend, id string) error {
			_, err := at.Activate(ctx, id, run.Arming{})
			return err
		})
	}
	a.Deactivate = func() {
		r.activating(lang.L("Deactivating…"), func(ctx context.Context, at hosts.Backend, id string) error { return at.Deactivate(ctx, id) })
	}
	r.dialogs.ShowActivation(a)
}

// useLast asks whether to run the open workflow with the last event of a trigger of the
// active one.
func (r *runCommands) useLast(nodeID string) {
	work, at := r.workspace.Active(), r.hosts.Here()
	id := work.Origin().ID
	r.jobs.Go(job.Reporting(user{r.dialogs, r.views}, lang.L("Asking the server…"), func(ctx context.Context) (func(), error) {
		last, err := at.Backend.LastFiring(ctx, id, nodeID)
		if err != nil {
			return nil, err
		}
		return func() {
			if r.workspace.Active() == work && !r.Past() && r.CanFire() {
				r.askFiring(work, work.Document.Definition(), firing{trigger: nodeID, payload: last.Outputs}, nil)
			}
		}, nil
	}))
}

// nextIn returns the time until an event; "" for a zero time.
func nextIn(at, now time.Time) string {
	switch d := at.Sub(now); {
	case at.IsZero():
		return ""
	case d < 24*time.Hour && at.Local().Day() == now.Local().Day():
		return lang.L("today at {{.Time}}", map[string]any{"Time": at.Local().Format("15:04:05")})
	}
	return at.Local().Format("2006-01-02 15:04:05")
}
