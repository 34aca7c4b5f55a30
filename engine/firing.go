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

// Firing is one thing that happened: the trigger that tells of it, by its node id, and
// what that puts out. A run begins with at most one.
type Firing struct {
	Node    string         `json:"node"`
	Outputs map[string]any `json:"outputs"`
}

// Trigger is a node that can start the workflow.
type Trigger struct {
	Node, Type string
	Source     node.Source // what makes it fire by itself; nil if nothing does
}

// Triggers returns the nodes that can start the workflow, in document order. Disabled ones
// cannot.
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

// FirstTrigger returns the id of the node that fires when somebody tries a workflow and
// names none: the first trigger that is not disabled, or "". specs are the node types that
// there are; a workflow need not be valid to be asked about.
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

// Fire makes what happens when somebody lets a trigger fire by hand, now: payload holds
// values by output port, and all others are what the trigger's sample has, else those of
// such an event with nothing in it. Its error is about the trigger or the payload.
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

// CheckFiring returns what is wrong with the firing that a run of p would begin with;
// nothing means that it will do. nil is no firing.
func (p *Plan) CheckFiring(f *Firing) ValidationErrors {
	_, problems := p.takeFiring(f)
	return problems
}

// fired is a firing by numbers: the trigger, and what it puts out by output port.
type fired struct {
	node   int32
	values []any
}

// takeFiring looks the trigger of a firing up and makes what it puts out fit its ports.
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

// trigger looks a trigger up that can start the workflow.
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

// putsOut tells the outputs of a trigger, for hints.
func (p *Plan) putsOut(i int32) string {
	outputs := p.nodes[i].outputs
	return "it puts out " + listed(len(outputs), func(k int) string { return outputs[k].Name + ": " + outputs[k].Type.String() })
}

// fire ends trigger i: with what it puts out if the run has begun with it, else as not
// taken. In a body nothing fires, for nothing has happened there.
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
