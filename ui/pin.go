package ui

import (
	"errors"
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/runs"
	"github.com/svcflow/svc/ui/wording"
	"github.com/svcflow/svc/ui/workspace"
)

// CanWritePin reports whether the selection is one node that can be pinned.
func (r *runCommands) CanWritePin() bool { return len(r.selectedPaths()) == 1 }

// WritePin lets the user edit the pin of the selected node. The initial text is its pin or,
// without one, its outputs in the run that is shown.
func (r *runCommands) WritePin() {
	work, paths := r.workspace.Active(), r.selectedPaths()
	if len(paths) != 1 {
		return
	}
	id, _ := work.Board.Selection.Sole()
	_, ports, err := work.Document.Ports(id)
	if err != nil {
		r.views.Complain(err)
		return
	}
	proposed, pinned := work.Pin(paths[0])
	if !pinned {
		if proposed, err = r.gave(paths[0]); err != nil || proposed.Error == nil && len(proposed.Outputs) == 0 {
			proposed = emptyPin(ports)
		}
	}
	title := lang.L("What does “{{.Node}}” give?", map[string]any{"Node": r.views.titleOf(paths[0])})
	check := func(outputs map[string]any) error { return fitsPorts(outputs, ports) }
	r.dialogs.AskPin(title, string(value.Indent(nil, writtenPin(proposed))), check, func(outputs map[string]any) {
		if r.workspace.Active() != work {
			return
		}
		r.workspace.Pin(map[string]engine.Pin{paths[0]: readPin(outputs)})
		r.views.Tell(lang.LocalizePlural("{{.N}} nodes are pinned: runs take what they gave, and do not call them.", 1, map[string]any{"N": 1}), false)
		r.views.Refresh()
	})
}

// emptyPin has all outputs, with empty values.
func emptyPin(ports []node.Port) engine.Pin {
	outputs := map[string]any{}
	for i := range ports {
		if !ports[i].Optional && !isControl(ports[i].Name) {
			outputs[ports[i].Name] = value.ZeroValue(ports[i].Type)
		}
	}
	return engine.Pin{Outputs: outputs}
}

// failurePort is the key for the failure in the text of a pin.
const failurePort = "$error"

func isControl(port string) bool { return port[0] == '$' }

func writtenPin(p engine.Pin) map[string]any {
	if p.Error != nil {
		return map[string]any{failurePort: map[string]any{"code": p.Error.Code, "message": p.Error.Message}}
	}
	if p.Outputs == nil {
		return map[string]any{}
	}
	return p.Outputs
}

func readPin(outputs map[string]any) engine.Pin {
	failed, ok := outputs[failurePort].(map[string]any)
	if !ok {
		return engine.Pin{Outputs: outputs}
	}
	f := &engine.Failure{}
	f.Code, _ = failed["code"].(string)
	f.Message, _ = failed["message"].(string)
	return engine.Pin{Error: f}
}

// fitsPorts returns an error if the text of a pin does not fit the outputs of its node.
func fitsPorts(outputs map[string]any, ports []node.Port) error {
	if failed, ok := outputs[failurePort]; ok {
		record, _ := failed.(map[string]any)
		code, _ := record["code"].(string)
		if _, isText := record["message"].(string); code == "" || !isText || len(outputs) > 1 {
			return errors.New(lang.L("A failure stands alone and has a code and a message."))
		}
		return nil
	}
	known := map[string]*node.Port{}
	for i := range ports {
		known[ports[i].Name] = &ports[i]
	}
	for name, v := range outputs {
		p := known[name]
		if p == nil || isControl(name) {
			return errors.New(lang.L("The node has no output “{{.Name}}”.", map[string]any{"Name": name}))
		}
		if _, err := value.Conform(v, p.Type); err != nil {
			return errors.New(name + ": " + wording.Of(err.Error()))
		}
	}
	return nil
}

// pinned reports whether a node is pinned, by its path.
func (v *views) pinned(path string) bool {
	w, b := v.workspace.Active(), v.board()
	return w != nil && b == w.Board && w.Pinned(path)
}

// trialRun is how a run that is recorded nowhere is watched.
type trialRun struct {
	stops  *runs.Stops // breakpoints; nil for none
	ran    *runs.Ran   // what the run was started with; nil if its values must not be reused
	within fold.Path   // the step that tells the round of a body, if that is what is run; else ""
}

// try runs a workflow with pins or breakpoints, or a part of a body. Such a run is not
// recorded, so it runs on this computer only.
func (r *runCommands) try(work *workspace.Session, def *workflow.Definition, q run.Request, how trialRun) {
	here := r.hosts.Here()
	if here.Try == nil {
		r.views.Complain(errors.New(lang.L("Pins and stops count on this computer only. Take them off, or work on this computer.")))
		return
	}
	if len(q.Pins) > 0 {
		r.views.Tell(lang.LocalizePlural("{{.N}} nodes repeat their last outputs; the run is not recorded.", len(q.Pins), map[string]any{"N": len(q.Pins)}), false)
	}
	try := runs.Trier(here.Try)
	if how.within != "" {
		try = try.Within(how.within)
	}
	r.runs.Try(r.at(), work.Board, def, q, how.stops, try)
	r.runs.Shown().Ran = how.ran
}

// gave returns the outputs of a node, by its path, in the run that is shown, as a pin.
func (r *runCommands) gave(path string) (engine.Pin, error) {
	var last *fold.Step
	if shown := r.runs.Shown(); shown != nil {
		if n := shown.Record.Node(path); n != nil {
			last = n.Last
		}
	}
	return r.pinOf(path, last)
}

// pinOf returns the outputs of a node in a step, as a pin; a nil step is an error.
func (r *runCommands) pinOf(path string, step *fold.Step) (pin engine.Pin, err error) {
	title := r.views.titleOf(path)
	if title == "" {
		title = path
	}
	if step == nil {
		return pin, errors.New(lang.L("The output of “{{.Node}}” is not known: run the workflow up to there first.", map[string]any{"Node": title}))
	}
	switch step.Status {
	case engine.StatusFailed:
		return engine.Pin{Error: &engine.Failure{Code: step.Error.Code, Message: step.Error.Message}}, nil
	case engine.StatusSucceeded:
	default: // it has no result
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

// HasOutputs reports whether the run that is shown has values to reuse.
func (r *runCommands) HasOutputs() bool {
	shown := r.runs.Shown()
	return shown != nil && !shown.Running && len(shown.Record.Top) > 0
}

// selectedPaths returns the selected nodes that can be pinned.
func (r *runCommands) selectedPaths() (paths []string) {
	work := r.workspace.Active()
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

// Pinned reports whether all selected nodes are pinned.
func (r *runCommands) Pinned() bool {
	paths := r.selectedPaths()
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return !r.workspace.Active().Pinned(path) })
}

// CanPin reports whether the selected nodes are pinned or have outputs.
func (r *runCommands) CanPin() bool {
	paths := r.selectedPaths()
	return len(paths) > 0 && (r.Pinned() || r.HasOutputs())
}

// TogglePin pins the selected nodes to their outputs in the run that is shown, or unpins
// them.
func (r *runCommands) TogglePin() {
	paths := r.selectedPaths()
	if r.Pinned() {
		r.workspace.Unpin(paths...)
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
	r.workspace.Pin(pins)
	r.views.Tell(lang.LocalizePlural("{{.N}} nodes are pinned: runs take what they gave, and do not call them.", len(pins), map[string]any{"N": len(pins)}), false)
	r.views.Refresh()
}
