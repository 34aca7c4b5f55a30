package ui

import (
	"errors"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/wording"
)

// CanWritePin reports whether one node is selected that can be pinned.
func (r *running) CanWritePin() bool { return len(r.selectedPaths()) == 1 }

// WritePin lets the user write what the selected node gives. Proposed is what it is pinned to,
// or what it gave in the run that is shown.
func (r *running) WritePin() {
	work, paths := r.desk.Work(), r.selectedPaths()
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
		if r.desk.Work() != work {
			return
		}
		r.desk.Pin(map[string]engine.Pin{paths[0]: readPin(outputs)})
		r.views.Tell(lang.LocalizePlural("{{.N}} nodes are pinned: runs take what they gave, and do not call them.", 1, map[string]any{"N": 1}), false)
		r.views.Refresh()
	})
}

// emptyPin has all outputs, to be written.
func emptyPin(ports []node.Port) engine.Pin {
	outputs := map[string]any{}
	for i := range ports {
		if !ports[i].Optional && !isControl(ports[i].Name) {
			outputs[ports[i].Name] = value.Least(ports[i].Type)
		}
	}
	return engine.Pin{Outputs: outputs}
}

// failurePort is where a pin that is written has the failure.
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

// fitsPorts reports what of a pin that is written does not fit the outputs of its node.
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
