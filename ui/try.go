package ui

import (
	"errors"
	"maps"
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/runs"
)

// pinned reports whether a node is pinned, by its path.
func (v *views) pinned(path string) bool {
	w, b := v.desk.Work(), v.board()
	return w != nil && b == w.Board && w.Pinned(path)
}

// try runs a workflow with pins or stops. Such a run is recorded nowhere, so it is on this
// computer only.
func (r *running) try(work *desk.Work, def *workflow.Definition, q run.Request, stops *runs.Stops, ran *runs.Ran) {
	here := r.places.Here()
	if here.Try == nil {
		r.views.Complain(errors.New(lang.L("Pins and stops count on this computer only. Take them off, or work on this computer.")))
		return
	}
	if len(q.Pins) > 0 {
		r.views.Tell(lang.LocalizePlural("{{.N}} nodes give what they gave before; the run is not recorded.", len(q.Pins), map[string]any{"N": len(q.Pins)}), false)
	}
	r.runs.Try(r.at(), work.Board, def, q, stops, here.Try)
	r.runs.Shown().Ran = ran
}

// StartOnly runs the selected node with what came into it in the run that is shown.
func (r *running) StartOnly() {
	r.again(func(d *doc.Document, id string) []string { return []string{id} })
}

// StartFrom runs the selected node and what follows, with what came into them.
func (r *running) StartFrom() {
	r.again(func(d *doc.Document, id string) []string { return d.Downstream(id) })
}

// again runs nodes anew. What leads to them gives what it gave before.
func (r *running) again(nodes func(d *doc.Document, id string) []string) {
	work := r.desk.Work()
	if work == nil || r.Past() {
		return
	}
	id, ok := work.Board.Selection.Sole()
	if !ok {
		return
	}
	anew := nodes(work.Document, id)
	part, err := work.Document.UpTo(anew...)
	if err != nil {
		r.views.Complain(err)
		return
	}
	inputs, err := r.views.runTab.Inputs()
	if err != nil {
		r.views.Complain(err)
		return
	}
	q := run.Request{Inputs: inputs, Pins: map[string]engine.Pin{}}
	if f, ok := r.fires(work, part); ok {
		q.Trigger, q.Payload = f.trigger, f.payload
	} else {
		q.Trigger = engine.FirstTrigger(part, work.Document.Specs().All())
	}
	ran := ranOf(work, part, q)
	for i := range part.Nodes {
		if err := r.take(&q, work, &part.Nodes[i], anew); err != nil {
			r.views.Complain(err)
			return
		}
	}
	maps.Copy(q.Pins, work.PinsIn(part))
	delete(q.Pins, id) // it is to run
	r.try(work, part, q, r.stops(), ran)
}

// take has a node of the outermost level give what it gave in the run that is shown, unless
// it is one of those that are to run.
func (r *running) take(q *run.Request, work *desk.Work, n *workflow.Node, anew []string) error {
	spec, known := work.Document.Specs().Lookup(n.Type)
	trigger := known && spec.Role == node.RoleTrigger
	if slices.Contains(anew, n.ID) && !trigger || known && spec.Role != node.RoleStep && !trigger || work.Pinned(n.ID) || n.Disabled {
		return nil
	}
	pin, err := r.gave(n.ID)
	switch {
	case trigger && (err != nil || n.ID != q.Trigger || q.Payload != nil):
		return nil // it fires as it does for the first time, or as the user has said
	case trigger:
		q.Payload = pin.Outputs
		return nil
	case err != nil:
		return err
	}
	q.Pins[n.ID] = pin
	return nil
}

// gave returns what a node, by its path, gave in the run that is shown, as a pin.
func (r *running) gave(path string) (pin engine.Pin, err error) {
	title := r.views.titleOf(path)
	if title == "" {
		title = path
	}
	shown := r.runs.Shown()
	if shown == nil || shown.Record.Node(path) == nil || shown.Record.Node(path).Last == nil {
		return pin, errors.New(lang.L("Nothing is known of what “{{.Node}}” gives: run the workflow up to there first.", map[string]any{"Node": title}))
	}
	step := shown.Record.Node(path).Last
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
