package ui

import (
	"maps"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/runs"
)

// breakpoints is where the user wants runs to wait, whatever is run; see tab for the nodes.
type breakpoints struct {
	errors bool
	every  bool // for the next run
}

// stops returns the breakpoints for a run of the session in front; nil for none.
func (r *runCommands) stops() *runs.Stops {
	every := r.stopping.every
	r.stopping.every = false
	if !every && !r.stopping.errors && len(r.stopNodes) == 0 {
		return nil
	}
	t := r.tab
	return runs.NewStops(every, maps.Clone(t.stopNodes), r.stopping.errors, func() { t.in.running.waits(t) })
}

// waits shows where a run waits.
func (r *runCommands) waits(t *tab) {
	at := t.waitsAt()
	switch {
	case at == "":
		return
	case t != r.tab:
		r.views.tellOf(t, lang.L("A run waits in “{{.Name}}”.", map[string]any{"Name": r.nameOf(t)}), false)
		r.views.showTabs()
		return
	}
	r.views.showNode(at)
	r.views.Tell(lang.L("The run waits at “{{.Node}}”: {{.Step}} runs the next node, {{.Go}} continues.", map[string]any{
		"Node": r.views.titleOf(at), "Step": r.commands.Keys("run.step").Label(), "Go": r.commands.Keys("run.continue").Label(),
	}), false)
	r.views.Refresh()
}

// waitsAt returns the node that the run of the tab waits at; "" if it does not wait.
func (t *tab) waitsAt() string {
	shown := t.runs.Shown()
	if shown == nil || !shown.Running {
		return ""
	}
	return shown.Stops.At()
}

// Waiting reports whether the run that is shown waits for the user.
func (r *runCommands) Waiting() bool { return r.waitsAt() != "" }

// Step runs the next node of the waiting run, or starts a run that waits before its first
// node.
func (r *runCommands) Step() {
	switch {
	case r.Waiting():
		r.runs.Shown().Stops.Step()
		r.views.Refresh()
	case !r.runs.Running():
		r.stopping.every = true
		r.Start()
	}
}

// Continue resumes the waiting run.
func (r *runCommands) Continue() {
	if r.Waiting() {
		r.runs.Shown().Stops.Continue()
		r.views.Refresh()
	}
}

// CanStop reports whether the selected nodes can have a breakpoint.
func (r *runCommands) CanStop() bool { return len(r.selectedPaths()) > 0 }

// Stopped reports whether all selected nodes have a breakpoint.
func (r *runCommands) Stopped() bool {
	paths := r.selectedPaths()
	for _, path := range paths {
		if !r.stopNodes[path] {
			return false
		}
	}
	return len(paths) > 0
}

// ToggleStop sets or removes breakpoints before the selected nodes.
func (r *runCommands) ToggleStop() {
	on := !r.Stopped()
	for _, path := range r.selectedPaths() {
		if on {
			r.stopNodes[path] = true
		} else {
			delete(r.stopNodes, path)
		}
	}
	r.stopsChanged()
}

// StopsAtErrors reports whether runs wait at failed nodes.
func (r *runCommands) StopsAtErrors() bool { return r.stopping.errors }

// ToggleStopAtErrors makes runs wait at failed nodes, or not.
func (r *runCommands) ToggleStopAtErrors() {
	r.stopping.errors = !r.stopping.errors
	r.stopsChanged()
}

func (r *runCommands) stopsChanged() {
	for _, t := range r.tabs {
		if shown := t.runs.Shown(); shown != nil && shown.Stops != nil {
			shown.Stops.Set(maps.Clone(t.stopNodes), r.stopping.errors)
		}
	}
	r.views.Refresh()
}

// stopAt returns the breakpoint at a node, by its path.
func (r *runCommands) stopAt(path string) scene.Stop {
	b, work := r.board(), r.workspace.Active()
	if b == nil || work == nil || b != work.Board {
		return scene.StopNone
	}
	switch {
	case r.waitsAt() == path:
		return scene.StopHere
	case r.stopNodes[path]:
		return scene.StopBefore
	}
	return scene.StopNone
}
