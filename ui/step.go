package ui

import (
	"maps"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/runs"
)

// stopping is where the user wants runs of a work to wait. It is forgotten with the work.
type stopping struct {
	work   *desk.Work
	nodes  map[string]bool // by path
	errors bool            // whatever the work is
	every  bool            // the run that is started next
}

// of returns the nodes before which runs of a work wait.
func (s *stopping) of(work *desk.Work) map[string]bool {
	if s.work != work {
		s.work, s.nodes = work, map[string]bool{}
	}
	return s.nodes
}

// stops returns where a run of a work is to wait; nil if nowhere.
func (r *running) stops(work *desk.Work) *runs.Stops {
	every := r.stopping.every
	r.stopping.every = false
	nodes := r.stopping.of(work)
	if !every && !r.stopping.errors && len(nodes) == 0 {
		return nil
	}
	return runs.NewStops(every, maps.Clone(nodes), r.stopping.errors, r.waits)
}

// waits shows where the run waits.
func (r *running) waits() {
	at := r.waitsAt()
	if at == "" {
		return
	}
	r.views.showNode(at)
	r.views.Tell(lang.L("The run waits at “{{.Node}}”: {{.Step}} runs the next node, {{.Go}} goes on.", map[string]any{
		"Node": r.views.titleOf(at), "Step": r.commands.Keys("run.step").Label(), "Go": r.commands.Keys("run.continue").Label(),
	}), false)
	r.views.Refresh()
}

// waitsAt returns the node that the run which is shown waits at; "" if it does not wait.
func (r *running) waitsAt() string {
	shown := r.runs.Shown()
	if shown == nil || !shown.Going {
		return ""
	}
	return shown.Stops.At()
}

// Waiting reports whether the run that is shown waits for the user.
func (r *running) Waiting() bool { return r.waitsAt() != "" }

// Step runs the next node of the run that waits, or starts one that waits before its first
// node.
func (r *running) Step() {
	switch {
	case r.Waiting():
		r.runs.Shown().Stops.Step()
		r.views.Refresh()
	case !r.runs.Going():
		r.stopping.every = true
		r.Start()
	}
}

// Continue lets the run that waits go on.
func (r *running) Continue() {
	if r.Waiting() {
		r.runs.Shown().Stops.Continue()
		r.views.Refresh()
	}
}

// CanStop reports whether runs can wait before what is selected.
func (r *running) CanStop() bool { return len(r.selectedPaths()) > 0 }

// Stopped reports whether runs wait before all that is selected.
func (r *running) Stopped() bool {
	paths := r.selectedPaths()
	for _, path := range paths {
		if !r.stopping.of(r.desk.Work())[path] {
			return false
		}
	}
	return len(paths) > 0
}

// ToggleStop has runs wait before the selected nodes, or not.
func (r *running) ToggleStop() {
	on := !r.Stopped()
	for _, path := range r.selectedPaths() {
		nodes := r.stopping.of(r.desk.Work())
		if on {
			nodes[path] = true
		} else {
			delete(nodes, path)
		}
	}
	r.stopsChanged()
}

// StopsAtErrors reports whether runs wait where a node has failed.
func (r *running) StopsAtErrors() bool { return r.stopping.errors }

// ToggleStopAtErrors has runs wait where a node has failed, or not.
func (r *running) ToggleStopAtErrors() {
	r.stopping.errors = !r.stopping.errors
	r.stopsChanged()
}

func (r *running) stopsChanged() {
	if shown := r.runs.Shown(); shown != nil && shown.Stops != nil {
		shown.Stops.Set(maps.Clone(r.stopping.of(r.desk.Work())), r.stopping.errors)
	}
	r.views.Refresh()
}

// stopAt returns the mark of a node of the level that is shown.
func (r *running) stopAt(id string) scene.Stop {
	b, work := r.board(), r.desk.Work()
	if b == nil || work == nil || b != work.Board {
		return scene.StopNone
	}
	path := fold.Join(b.Document().Path(), id)
	switch {
	case r.waitsAt() == path:
		return scene.StopHere
	case r.stopping.of(work)[path]:
		return scene.StopBefore
	}
	return scene.StopNone
}
