package engine

import (
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Plan is a compiled workflow. It is immutable and may be run any number of
// times, concurrently.
type Plan struct {
	id      string
	graph   graph
	nodes   []planNode
	slots   []inputSlot
	checks  []bool // wire → its values have to conform to the port's type
	face    Interface
	loaded  []string
	control []node.Port // the implicit inputs of nodes

	schedules sync.Pool // of *schedule
}

// planNode is a node that can be called.
type planNode struct {
	id       string
	typ      string
	call     node.Call
	inputs   []node.Port
	outputs  []node.Port
	mode     mode
	role     node.Role
	sample   func(time.Time) map[string]any // of a trigger; see node.Bound
	source   node.Source                    // of a trigger that has one
	stands   *node.Port                     // for a role: the workflow's input or output
	boundary int32                          // its place among the inputs or outputs of the workflow
	binding  binding
	handled  bool // something is wired to the error port
	hints    []node.Problem
	body     *Plan // part of the document
	inner    *Plan // the plan that it runs: body, or a stored workflow
	timeout  time.Duration
	retry    *workflow.Retry
	once     bool // a second call may repeat a side effect
	computes bool // does nothing but compute
}

// binding is how far compiling got with a node.
type binding uint8

const (
	unbound binding = iota // it has problems; follow-up problems are not reported
	dormant                // disabled and incomplete: it has ports, but nothing else about it matters
	bound                  // can be called
)

// mode is how the runner calls a node.
type mode uint8

const (
	modeInline    mode = iota // on the scheduler's goroutine
	modeBlocking              // on a new goroutine, counted
	modeContainer             // on a new goroutine, not counted
)

// inputSlot is where an input port's value comes from when no wire leads into it,
// and how wires come together in it.
type inputSlot struct {
	value any // config, else default, else node.Absent
	fan   fan
}

// fan is how the wires into a port become its value.
type fan uint8

const (
	fanSingle fan = iota // the value of the one wire
	fanWrap              // the value of the one wire; wrapped in a list unless it is one
	fanItems             // each wire is one item of a list
)

// WorkflowID returns the id of the definition that was compiled.
func (p *Plan) WorkflowID() string { return p.id }

// Inputs returns what the workflow takes, in document order. An input that is
// neither required nor has a default may be null.
func (p *Plan) Inputs() []node.Port { return p.face.Inputs() }

// Outputs returns what the workflow gives, in document order.
func (p *Plan) Outputs() []node.Port { return p.face.Outputs() }

// Loaded returns the ids of the stored workflows that were compiled into p, in
// the order they were first met. A cached p is stale when one of them changes.
func (p *Plan) Loaded() []string { return p.loaded }

// Computes reports whether all nodes of p, including those in bodies, only compute, so that calling
// them again, or elsewhere, has no side effect.
func (p *Plan) Computes() bool {
	for i := range p.nodes {
		n := &p.nodes[i]
		switch {
		case n.role != node.RoleStep, n.computes:
		case n.mode != modeContainer, n.inner == nil, !n.inner.Computes():
			return false
		}
	}
	return true
}

// port returns the port of input slot in of node i.
func (p *Plan) port(i, in int32) *node.Port {
	if after := p.graph.after[i]; after >= 0 && in >= after {
		return &p.control[in-after]
	}
	return &p.nodes[i].inputs[in-p.graph.inLo[i]]
}
