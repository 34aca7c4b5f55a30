package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Firing is one event of a trigger: the id of the trigger node and its outputs. A run
// starts with at most one.
type Firing struct {
	Node    string         `json:"node"`
	Outputs map[string]any `json:"outputs"`
}

// Trigger is a node that can start the workflow.
type Trigger struct {
	Node, Type string
	Source     node.Source // fires the trigger automatically; nil if nothing does
}

// Triggers returns the nodes that can start the workflow, in document order. Disabled ones
// are left out.
func (p *Plan) Triggers() []Trigger {
	var all []Trigger
	for i := range p.nodes {
		if n := &p.nodes[i]; p.fires(int32(i)) {
			all = append(all, Trigger{n.id, n.typ, n.source})
		}
	}
	return all
}

// fires reports whether node i can start the workflow.
func (p *Plan) fires(i int32) bool {
	return p.nodes[i].role == node.RoleTrigger && p.nodes[i].binding == bound && !p.graph.disabled[i]
}

// FirstTrigger returns the id of the trigger to fire when a user tries a workflow and names
// none: the first enabled trigger, or "". specs are the known node types. The workflow need
// not be valid.
func FirstTrigger(def *workflow.Definition, specs []*node.Spec) string {
	triggers := map[string]bool{}
	for _, spec := range specs {
		triggers[spec.Type] = spec.Role == node.RoleTrigger
	}
	for i := range def.Nodes {
		if n := &def.Nodes[i]; triggers[n.Type] && !n.Disabled {
			return n.ID
		}
	}
	return ""
}

// Fire returns the firing for a trigger that a user fires by hand. payload holds values by
// output port. Missing outputs come from the trigger's sample, or are zero values. The
// error is about the trigger or the payload.
func (p *Plan) Fire(trigger string, payload map[string]any, now time.Time) (*Firing, ValidationErrors) {
	i, problem := p.trigger(trigger)
	if problem != nil {
		return nil, ValidationErrors{problem}
	}
	n := &p.nodes[i]
	outputs := make(map[string]any, len(n.outputs))
	for k := range n.outputs {
		if !n.outputs[k].Optional {
			outputs[n.outputs[k].Name] = value.ZeroValue(n.outputs[k].Type)
		}
	}
	if n.sample != nil {
		maps.Copy(outputs, n.sample(now))
	}
	maps.Copy(outputs, payload)
	f := &Firing{Node: trigger, Outputs: outputs}
	return f, p.CheckFiring(f)
}

// CheckFiring returns the problems of a firing that is to start a run of p. A nil firing is
// valid.
func (p *Plan) CheckFiring(f *Firing) ValidationErrors {
	_, problems := p.takeFiring(f)
	return problems
}

// fired is a firing with a node number and its values by output port.
type fired struct {
	node   int32
	values []any
}

// takeFiring looks up the trigger of a firing and converts its outputs to the port types.
func (p *Plan) takeFiring(f *Firing) (*fired, ValidationErrors) {
	if f == nil {
		return nil, nil
	}
	i, problem := p.trigger(f.Node)
	if problem != nil {
		return nil, ValidationErrors{problem}
	}
	var problems ValidationErrors
	wrong := func(port, format string, args ...any) {
		problems = append(problems, &ValidationError{
			Code: CodeTypeError, NodeID: f.Node, Port: port, Message: fmt.Sprintf(format, args...), Hint: p.putsOut(i),
		})
	}
	outputs := p.nodes[i].outputs
	known := make(map[string]bool, len(outputs))
	values := make([]any, len(outputs))
	absent(values)
	for k := range outputs {
		port := &outputs[k]
		known[port.Name] = true
		v, given := f.Outputs[port.Name]
		if !given {
			if !port.Optional {
				wrong(port.Name, "the trigger fired without its output %q", port.Name)
			}
			continue
		}
		fitting, err := port.Accept(v)
		if err != nil {
			wrong(port.Name, "output %q of the trigger: %v", port.Name, err)
		}
		values[k] = fitting
	}
	for _, name := range slices.Sorted(maps.Keys(f.Outputs)) {
		if !known[name] {
			wrong(name, "the trigger has no output %q", name)
		}
	}
	return &fired{i, values}, problems
}

// trigger returns the number of the trigger called id, if it can start the workflow.
func (p *Plan) trigger(id string) (int32, *ValidationError) {
	e := &ValidationError{Code: CodeUnknownTrigger, NodeID: id, Message: fmt.Sprintf("the workflow has no trigger %q", id), Hint: "it has none"}
	for i := range p.nodes {
		switch {
		case p.nodes[i].id != id:
			continue
		case p.fires(int32(i)):
			return int32(i), nil
		case p.nodes[i].role == node.RoleTrigger:
			e.Message = fmt.Sprintf("the trigger %q is disabled", id)
		default:
			e.Message = fmt.Sprintf("the node %q is no trigger", id)
		}
	}
	if all := p.Triggers(); len(all) > 0 {
		e.Hint = "it has " + listed(len(all), func(i int) string { return all[i].Node })
	}
	return -1, e
}

// putsOut lists the outputs of a trigger, for hints.
func (p *Plan) putsOut(i int32) string {
	outputs := p.nodes[i].outputs
	return "it puts out " + listed(len(outputs), func(k int) string { return outputs[k].Name + ": " + outputs[k].Type.String() })
}

// fire ends trigger i: with the firing's outputs if it started the run, else as not taken.
// Triggers in bodies never fire.
func (x *execution) fire(i int32) {
	if x.owner != nil || x.firing == nil || x.firing.node != i {
		x.sched.decline(i)
		x.noteSkipped()
		return
	}
	x.nodes[i].status, x.nodes[i].start = StatusRunning, x.now
	copy(x.values[x.plan.graph.outLo[i]:], x.firing.values)
	x.done(i, nil)
}
