package engine

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Plan is a compiled workflow. It is immutable and may be run any number of
// times, concurrently.
type Plan struct {
	id      string
	graph   graph
	nodes   []planNode
	slots   []inputSlot
	checks  []bool // wire → whether its values must be converted to the port's type
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
	stands   *node.Port                     // input and output nodes: the workflow's input or output they declare
	boundary int32                          // its index among the inputs or outputs of the workflow
	binding  binding
	handled  bool  // something is wired to the error port
	warnings int32 // its output with warnings; -1 if it has none
	success  int32 // its output that says whether its action happened; -1 if it has none, or something uses an Outcome output
	hints    []node.Problem
	body     *Plan // part of the document
	inner    *Plan // the plan that it runs: body, or a stored workflow
	timeout  time.Duration
	retry    *workflow.Retry
	once     bool // a second call may repeat a side effect
	computes bool // only computes
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

// inputSlot holds the value of an input port without wires, and how the values of wires are
// combined.
type inputSlot struct {
	value any // config, else default, else node.Absent
	fan   fan
}

// fan is how the wires into a port give its value.
type fan uint8

const (
	fanSingle fan = iota // the value of the one wire
	fanWrap              // the value of the one wire; wrapped in a list unless it is one
	fanItems             // each wire is one item of a list
)

// WorkflowID returns the id of the definition that was compiled.
func (p *Plan) WorkflowID() string { return p.id }

// Inputs returns the inputs of the workflow, in document order. An input that is neither
// required nor has a default may be null.
func (p *Plan) Inputs() []node.Port { return p.face.Inputs() }

// Outputs returns the outputs of the workflow, in document order.
func (p *Plan) Outputs() []node.Port { return p.face.Outputs() }

// Loaded returns the ids of the stored workflows that were compiled into p, in the order
// they were first encountered. A cached p is stale when one of them changes.
func (p *Plan) Loaded() []string { return p.loaded }

// Computes reports whether all nodes of p, including those in bodies, only compute, so that
// calling them again, or in another process, has no side effect.
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

// Interface is the inputs and outputs of a workflow, in document order: the ports that its
// input and output nodes declare. The zero Interface has none.
type Interface struct{ inputs, outputs []boundary }

// boundary is one input or output of the workflow and the node that declares it.
type boundary struct {
	port node.Port
	node int32
}

// NewInterface collects the inputs and outputs of def. stands returns the role of node i
// and the port that it declares, or nil. Disabled nodes are ignored. If several nodes
// declare the same port, the first counts, and twice has the indexes of the others.
func NewInterface(def *workflow.Definition, stands func(i int) (node.Role, *node.Port)) (f Interface, twice []int) {
	seen := map[node.Role]map[string]bool{node.RoleInput: {}, node.RoleOutput: {}}
	for i := range def.Nodes {
		if def.Nodes[i].Disabled {
			continue
		}
		role, port := stands(i)
		switch names := seen[role]; {
		case port == nil || names == nil:
			continue
		case names[port.Name]:
			twice = append(twice, i)
			continue
		default:
			names[port.Name] = true
		}
		if role == node.RoleInput {
			f.inputs = append(f.inputs, boundary{*port, int32(i)})
		} else {
			f.outputs = append(f.outputs, boundary{*port, int32(i)})
		}
	}
	return f, twice
}

// Inputs returns the inputs of the workflow. The caller may change the list.
func (f *Interface) Inputs() []node.Port { return ports(f.inputs) }

// Outputs returns the outputs of the workflow. The caller may change the list.
func (f *Interface) Outputs() []node.Port { return ports(f.outputs) }

func ports(bs []boundary) []node.Port {
	ports := make([]node.Port, len(bs))
	for i := range bs {
		ports[i] = bs[i].port
	}
	return ports
}

// findInterface sets the interface of the plan and reports ports that are declared twice.
func (l *level) findInterface() {
	face, twice := NewInterface(l.def, func(i int) (node.Role, *node.Port) {
		n := &l.plan.nodes[i]
		if n.binding != bound {
			return node.RoleStep, nil
		}
		return n.role, n.stands
	})
	for _, side := range [][]boundary{face.inputs, face.outputs} {
		for k := range side {
			l.plan.nodes[side[k].node].boundary = int32(k)
		}
	}
	for _, i := range twice {
		n := &l.plan.nodes[i]
		l.report(int32(i), duplicateBoundary(n.role, n.stands.Name))
	}
	l.plan.face = face
}

func duplicateBoundary(role node.Role, name string) ValidationError {
	code, word := CodeDuplicateWorkflowInput, "input"
	if role == node.RoleOutput {
		code, word = CodeDuplicateWorkflowOutput, "output"
	}
	return ValidationError{
		Code: code, Port: "name", Message: fmt.Sprintf("two nodes stand for the workflow's %s %q", word, brief(name)), Hint: "rename one of them",
	}
}

// Credentials returns the references to secrets in the config of p's nodes, sorted,
// including nodes in bodies and in stored workflows that they call. References that arrive
// by a wire or as an input of the run are not known in advance.
func (p *Plan) Credentials() []value.Credential {
	all := map[value.Credential]bool{}
	p.addCredentials(all)
	return slices.Sorted(maps.Keys(all))
}

func (p *Plan) addCredentials(all map[value.Credential]bool) {
	for i := range p.slots {
		addCredentials(p.slots[i].value, all)
	}
	for i := range p.nodes {
		if inner := p.nodes[i].inner; inner != nil {
			inner.addCredentials(all)
		}
	}
}

func addCredentials(v any, all map[value.Credential]bool) {
	switch v := v.(type) {
	case value.Credential:
		all[v] = true
	case []any:
		for _, item := range v {
			addCredentials(item, all)
		}
	case map[string]any:
		for _, item := range v {
			addCredentials(item, all)
		}
	}
}
