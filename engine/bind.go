package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// bind binds node i to its type. Afterwards the node has ports, or problems were reported;
// connections of a node with problems are not checked.
func (l *level) bind(i int32) {
	n := &l.def.Nodes[i]
	typ, ok := l.env.Registry.Lookup(n.Type)
	if !ok {
		l.report(i, ValidationError{
			Code: CodeUnknownNodeType, Message: fmt.Sprintf("there is no node type %q", brief(n.Type)), Hint: l.hint().unknown(n.Type),
		})
		return
	}
	found := l.count()
	config, complete := l.bindLiterals(i, &typ.Spec)
	var stored *Plan
	b := node.Binding{
		Spec:        &typ.Spec,
		Config:      config,
		Wired:       l.wired(i),
		WiredOutput: func(port string) bool { return l.wiredOutput(i, port) },
		Deferred:    func(port string) bool { return l.deferred(i, port) },
		Body:        l.bindBody(i, &typ.Spec),
		Workflow: func(id string) (body node.Body, problems []node.Problem) {
			stored, body, problems = l.bindStored(id)
			return body, problems
		},
	}
	if l.count() > found {
		return
	}
	var made node.Bound
	if complete {
		made, complete = l.bindType(i, typ, b)
	}
	switch {
	case l.count() > found || l.twice[n.ID]:
	case complete:
		l.plan.nodes[i] = planned(n, &typ.Spec, &made)
		l.plan.nodes[i].success = unusedSuccess(made.Outputs, b.WiredOutput)
		if inner, ok := b.Body.(*body); ok {
			l.plan.nodes[i].body, l.plan.nodes[i].inner = inner.plan, inner.plan
		}
		if stored != nil {
			l.plan.nodes[i].inner = stored
		}
	default:
		l.plan.nodes[i] = planNode{id: n.ID, role: typ.Spec.Role, binding: dormant, warnings: -1, success: -1}
	}
}

// bindType calls the Bind function of the type. complete is false if the type reports a
// problem; for disabled nodes, missing inputs are not reported.
func (l *level) bindType(i int32, typ *node.Node, b node.Binding) (made node.Bound, complete bool) {
	made, problems := typ.Bind(b)
	for _, p := range problems {
		if p.Code == CodeMissingRequiredInput && l.def.Nodes[i].Disabled {
			continue
		}
		l.report(i, ValidationError{Code: cmp.Or(p.Code, CodeInvalidConfig), Port: p.Port, Message: p.Message, Hint: p.Hint, At: p.At})
	}
	return made, len(problems) == 0
}

func planned(n *workflow.Node, spec *node.Spec, made *node.Bound) planNode {
	p := planNode{
		warnings: int32(slices.IndexFunc(made.Outputs, func(p node.Port) bool { return p.Warnings })),
		id:       n.ID, typ: n.Type, call: made.Call, inputs: made.Inputs, outputs: made.Outputs,
		role: spec.Role, sample: made.Sample, source: made.Source, stands: made.Boundary, timeout: spec.Timeout, retry: n.Retry, binding: bound,
		once: spec.Once || made.Once, computes: spec.Pure || spec.Inline, hints: made.Hints,
	}
	if n.TimeoutMs > 0 {
		p.timeout = time.Duration(n.TimeoutMs) * time.Millisecond
	}
	switch {
	case spec.Container:
		p.mode = modeContainer
	case !spec.Inline || n.TimeoutMs > 0 || n.Retry != nil:
		p.mode = modeBlocking
	}
	return p
}

// unusedSuccess returns the output that says whether the action of a node happened; -1 if
// there is none, or if one of the Outcome outputs is in use.
func unusedSuccess(outputs []node.Port, used func(port string) bool) int32 {
	success := int32(-1)
	for k := range outputs {
		if !outputs[k].Outcome {
			continue
		}
		if used(outputs[k].Name) {
			return -1
		}
		if outputs[k].Type.Kind() == value.KindBool {
			success = int32(k)
		}
	}
	return success
}

// bindLiterals returns node i's config with its literal inputs converted and defaulted, as
// Bind expects them. complete is false if the node is disabled and a literal is missing.
func (l *level) bindLiterals(i int32, spec *node.Spec) (config map[string]any, complete bool) {
	n := &l.def.Nodes[i]
	complete = true
	config = spec.Literals(n.Config, func(port *node.Port, err error) {
		switch {
		case !errors.Is(err, node.ErrNotGiven):
			l.report(i, invalidConfig(port, err))
		case n.Disabled:
			complete = false
		default:
			l.report(i, missingRequired(port))
		}
	})
	return config, complete
}

func invalidConfig(port *node.Port, err error) ValidationError {
	return ValidationError{
		Code: CodeInvalidConfig, Port: port.Name, Message: fmt.Sprintf("config %q: %v", brief(port.Name), err),
		Hint: "give a value of type " + port.Type.Brief(),
	}
}

func missingRequired(port *node.Port) ValidationError {
	e := ValidationError{
		Code: CodeMissingRequiredInput, Port: port.Name, Message: fmt.Sprintf("the required input %q has no value", brief(port.Name)),
		Hint: "connect it or set it in config",
	}
	if port.Literal {
		e.Hint = "set it in config"
	}
	return e
}

// wired returns a function that reports whether a connection leads into a port of node i.
// It scans the connections on the first call.
func (l *level) wired(i int32) func(string) bool {
	var names map[string]bool
	return func(port string) bool {
		if names == nil {
			names = map[string]bool{}
			for _, c := range l.into[l.intoLo[i]:l.intoLo[i+1]] {
				names[l.def.Connections[c].ToPort] = true
			}
		}
		return names[port]
	}
}

// outlet identifies an output port by node number and name.
type outlet struct {
	node int32
	port string
}

// wiredOutput reports whether a connection leads from a port of node i to another node. It
// scans all connections on the first call.
func (l *level) wiredOutput(i int32, port string) bool {
	if l.outlets == nil {
		l.outlets = make(map[outlet]bool, len(l.ends))
		for c, e := range l.ends {
			if e.to >= 0 {
				l.outlets[outlet{e.from, l.def.Connections[c].FromPort}] = true
			}
		}
	}
	return l.outlets[outlet{i, port}]
}

// bindBody compiles the body inside node i.
func (l *level) bindBody(i int32, spec *node.Spec) node.Body {
	n := &l.def.Nodes[i]
	if n.Body == nil {
		return nil
	}
	if !spec.Container {
		l.report(i, ValidationError{
			Code: CodeInvalidBody, Message: fmt.Sprintf("nodes of type %q have no body", n.Type),
			Hint: l.hint().body(),
		})
		return nil
	}
	inner := &problems{}
	plan := l.compile(n.Body, inner, value.Shorten(l.path+brief(n.ID)+"/", limit.Message/2))
	l.include(int(i), inner)
	return newBody(plan)
}

// bindStored compiles the stored workflow id for use as a body.
func (l *level) bindStored(id string) (*Plan, node.Body, []node.Problem) {
	plan, problems := l.load(id)
	if len(problems) > 0 || plan == nil {
		return nil, nil, problems
	}
	return plan, newBody(plan), nil
}

// layOut numbers the slots of all nodes and fills the input slots from config and
// defaults.
func (l *level) layOut() {
	g := &l.plan.graph
	nodes := l.plan.nodes
	g.outLo, g.inLo = make([]int32, len(nodes)+1), make([]int32, len(nodes)+1)
	g.disabled, g.after = make([]bool, len(nodes)), make([]int32, len(nodes))
	l.plan.control = node.ControlInputs()
	for i := range nodes {
		g.outLo[i+1] = g.outLo[i] + int32(len(nodes[i].outputs)) + implicitOutputs
		g.inLo[i+1] = g.inLo[i] + int32(len(nodes[i].inputs))
		g.after[i] = -1
		if nodes[i].role.Controlled() {
			g.after[i] = g.inLo[i+1]
			g.inLo[i+1] += int32(len(l.plan.control))
		}
		g.disabled[i] = l.def.Nodes[i].Disabled
	}
	g.owner = make([]int32, g.outLo[len(nodes)])
	g.partial = make([]bool, g.inLo[len(nodes)])
	l.plan.slots = make([]inputSlot, len(g.partial))
	for i := range nodes {
		if !l.step() {
			return
		}
		for o := g.outLo[i]; o < g.outLo[i+1]; o++ {
			g.owner[o] = int32(i)
		}
		l.configure(int32(i))
	}
}

// configure gives the inputs of node i their config and default values.
func (l *level) configure(i int32) {
	n := &l.plan.nodes[i]
	if n.binding != bound {
		return
	}
	config := l.def.Nodes[i].Config
	taken := 0
	lo := l.plan.graph.inLo[i]
	for k := range n.inputs {
		port := &n.inputs[k]
		slot := &l.plan.slots[lo+int32(k)]
		l.plan.graph.partial[lo+int32(k)] = port.Partial
		slot.value = node.Absent{}
		if port.Default != nil {
			slot.value = port.Default
		}
		given, ok := config[port.Name]
		if !ok {
			continue
		}
		taken++
		if !l.step() {
			return
		}
		v, err := port.Accept(given)
		if err != nil {
			l.report(i, invalidConfig(port, err))
		}
		slot.value = v
	}
	if taken < len(config) {
		l.reportUnknownConfig(i)
	}
}

func (l *level) reportUnknownConfig(i int32) {
	n := &l.def.Nodes[i]
	inputs := l.plan.nodes[i].inputs
	hint := "it has: " + portNames(inputs)
	names, more := unknown(n.Config, func(name string) bool { return !l.step() || l.portIndex(inputs, name) >= 0 })
	for _, name := range names {
		l.report(i, ValidationError{
			Code: CodeUnknownConfig, Port: name, Message: fmt.Sprintf("%s has no input %q", n.Type, brief(name)), Hint: hint,
		})
	}
	l.more += more
}

// unknown returns up to limit.Problems unknown names in given, sorted, and how many more
// there are.
func unknown(given map[string]any, known func(name string) bool) (names []string, more int) {
	for name := range given {
		if !known(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	told := min(len(names), limit.Problems)
	return names[:told], len(names) - told
}
