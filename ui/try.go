package ui

import (
	"errors"
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/runs"
)

// pinned reports whether a node is pinned, by its path.
func (v *views) pinned(path string) bool {
	w, b := v.desk.Work(), v.board()
	return w != nil && b == w.Board && w.Pinned(path)
}

// trying is how a run that is recorded nowhere is watched.
type trying struct {
	stops  *runs.Stops // where it waits; nil for nowhere
	ran    *runs.Ran   // what it was started with; nil if nobody is to use it again
	within fold.Path   // the step that tells the round of a body, if that is what is run; else ""
}

// try runs a workflow with pins or stops, or a part of a body. Such a run is recorded nowhere,
// so it is on this computer only.
func (r *running) try(work *desk.Work, def *workflow.Definition, q run.Request, how trying) {
	here := r.places.Here()
	if here.Try == nil {
		r.views.Complain(errors.New(lang.L("Pins and stops count on this computer only. Take them off, or work on this computer.")))
		return
	}
	if len(q.Pins) > 0 {
		r.views.Tell(lang.LocalizePlural("{{.N}} nodes give what they gave before; the run is not recorded.", len(q.Pins), map[string]any{"N": len(q.Pins)}), false)
	}
	try := runs.Trier(here.Try)
	if how.within != "" {
		try = try.Within(how.within)
	}
	r.runs.Try(r.at(), work.Board, def, q, how.stops, try)
	r.runs.Shown().Ran = how.ran
}

// gave returns what a node, by its path, gave in the run that is shown, as a pin.
func (r *running) gave(path string) (engine.Pin, error) {
	var last *fold.Step
	if shown := r.runs.Shown(); shown != nil {
		if n := shown.Record.Node(path); n != nil {
			last = n.Last
		}
	}
	return r.pinOf(path, last)
}

// pinOf returns what a node, by its path, gave in a step; nil is none that is known.
func (r *running) pinOf(path string, step *fold.Step) (pin engine.Pin, err error) {
	title := r.views.titleOf(path)
	if title == "" {
		title = path
	}
	if step == nil {
		return pin, errors.New(lang.L("Nothing is known of what “{{.Node}}” gives: run the workflow up to there first.", map[string]any{"Node": title}))
	}
	switch step.Status {
	case engine.StatusFailed:
		return engine.Pin{Error: &engine.Failure{Code: step.Error.Code, Message: step.Error.Message}}, nil
	case engine.StatusSucceeded:
	default: // nothing came of it
		return engine.Pin{}, nil
	}
	pin.Outputs = map[string]any{}
	for port, v := range step.Outputs {
		if bytes, elided := engine.Elided(v); elided {
			return engine.Pin{}, errors.New(lang.L("What “{{.Node}}” gave is too large to be used again: {{.Size}}.", map[string]any{"Node": title, "Size": view.Bytes(bytes)}))
		}
		pin.Outputs[port] = v
	}
	return pin, nil
}

// Seen reports whether there is a run of which something can be used again.
func (r *running) Seen() bool {
	shown := r.runs.Shown()
	return shown != nil && !shown.Going && len(shown.Record.Top) > 0
}

// selectedPaths returns the nodes that are selected and can be pinned.
func (r *running) selectedPaths() (paths []string) {
	work := r.desk.Work()
	if work == nil || r.Past() {
		return nil
	}
	for _, id := range work.Board.Selection.Set().Nodes {
		n, ok := work.Document.Node(id)
		if !ok {
			continue
		}
		if spec, known := work.Document.Specs().Lookup(n.Type); !known || spec.Role == node.RoleStep {
			paths = append(paths, fold.Join(work.Document.Path(), id))
		}
	}
	return paths
}

// Pinned reports whether all that is selected is pinned.
func (r *running) Pinned() bool {
	paths := r.selectedPaths()
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return !r.desk.Work().Pinned(path) })
}

// CanPin reports whether what is selected is pinned, or has given something.
func (r *running) CanPin() bool {
	paths := r.selectedPaths()
	return len(paths) > 0 && (r.Pinned() || r.Seen())
}

// TogglePin pins the selected nodes to what they gave in the run that is shown, or has them
// called again.
func (r *running) TogglePin() {
	paths := r.selectedPaths()
	if r.Pinned() {
		r.desk.Unpin(paths...)
		r.views.Tell(lang.LocalizePlural("{{.N}} nodes are called again.", len(paths), map[string]any{"N": len(paths)}), false)
		r.views.Refresh()
		return
	}
	pins := map[string]engine.Pin{}
	for _, path := range paths {
		pin, err := r.gave(path)
		if err != nil {
			r.views.Complain(err)
			return
		}
		pins[path] = pin
	}
	if len(pins) == 0 {
		return
	}
	r.desk.Pin(pins)
	r.views.Tell(lang.LocalizePlural("{{.N}} nodes are pinned: runs take what they gave, and do not call them.", len(pins), map[string]any{"N": len(pins)}), false)
	r.views.Refresh()
}
