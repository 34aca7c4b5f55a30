package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// connect turns the connections into wires and edges of the plan's graph.
func (l *level) connect() {
	links := make([]link, 0, len(l.ends))
	places := make([]int32, 0, len(l.ends)) // link → connection
	for i, e := range l.ends {
		if !l.step() {
			return
		}
		if e.from < 0 || e.to < 0 || l.plan.nodes[e.from].binding == unbound || l.plan.nodes[e.to].binding == unbound {
			continue
		}
		if out, in, ok := l.findPorts(i, e); ok {
			links = append(links, link{from: out, to: in, node: e.to})
			places = append(places, int32(i))
		}
	}
	l.plan.graph.connect(links)
	l.plan.checks = make([]bool, len(links))
	for k := 0; k < len(links) && l.step(); k++ {
		l.join(&links[k], int(places[k]))
	}
}

// findPorts returns the slots that connection i joins. ok is false if the connection is to
// be ignored or has problems.
func (l *level) findPorts(i int, e ends) (out, in int32, ok bool) {
	c := &l.def.Connections[i]
	from, to := &l.plan.nodes[e.from], &l.plan.nodes[e.to]
	from.handled = from.handled || c.FromPort == node.ErrorPort
	if to.binding == dormant {
		return 0, 0, false
	}
	out, in = l.outputIndex(from, c.FromPort), l.inputIndex(to, c.ToPort)
	if out < 0 {
		l.reportConnection(i, ValidationError{
			Code: CodeMissingOutputPort, NodeID: from.id, Port: c.FromPort,
			Message: fmt.Sprintf("node %q has no output %q", brief(from.id), brief(c.FromPort)), Hint: "it has: " + portNames(from.outputs, node.DonePort, node.ErrorPort),
		})
	}
	if in < 0 {
		l.reportConnection(i, ValidationError{
			Code: CodeMissingInputPort, NodeID: to.id, Port: c.ToPort,
			Message: fmt.Sprintf("node %q has no input %q", brief(to.id), brief(c.ToPort)), Hint: "it has: " + portNames(to.inputs),
		})
	}
	if out < 0 || in < 0 {
		return 0, 0, false
	}
	if int(in) < len(to.inputs) && to.inputs[in].Literal {
		l.reportConnection(i, ValidationError{
			Code: CodeInvalidConfig, NodeID: to.id, Port: c.ToPort,
			Message: fmt.Sprintf("input %q takes its value from config only", brief(c.ToPort)), Hint: "set it in config and remove the connection",
		})
		return 0, 0, false
	}
	return l.plan.graph.outLo[e.from] + out, l.plan.graph.inLo[e.to] + in, true
}

// outputIndex returns the index of the output called name among the slots of n, or -1.
func (l *level) outputIndex(n *planNode, name string) int32 {
	switch {
	case name == node.ErrorPort:
		return int32(len(n.outputs)) + 1
	case name == node.DonePort, n.binding == dormant: // a dormant node emits nothing, so one slot is enough
		return int32(len(n.outputs))
	}
	return l.portIndex(n.outputs, name)
}

// inputIndex returns the index of the input called name among the slots of n, or -1.
func (l *level) inputIndex(n *planNode, name string) int32 {
	for k := range l.plan.control {
		if name == l.plan.control[k].Name && n.role.Controlled() {
			return int32(len(n.inputs) + k)
		}
	}
	return l.portIndex(n.inputs, name)
}

// join decides how a link's values get into its port, and checks the types.
func (l *level) join(k *link, connection int) {
	g := &l.plan.graph
	if k.to == g.after[k.node] {
		return // $after takes any number of wires and ignores their values
	}
	port := l.plan.port(k.node, k.to)
	wires := g.wireLo[k.to+1] - g.wireLo[k.to]
	source := l.outputType(k.from)
	if wires > 1 && port.Type.Kind() != value.KindList {
		if k.wire > g.wireLo[k.to] { // the first wire is valid
			l.reportConnection(connection, ValidationError{
				Code: CodeDuplicateConnection, NodeID: l.plan.nodes[k.node].id, Port: port.Name,
				Message: fmt.Sprintf("input %q has a connection already", brief(port.Name)),
				Hint:    l.hint().twice(),
			})
			return
		}
	}
	fan, fit := assign(&l.types, source, port.Type, wires)
	l.plan.slots[k.to].fan = max(l.plan.slots[k.to].fan, fan)
	l.plan.checks[k.wire] = fit != value.Fits || len(port.Networks) > 0
	if fit != value.Misfit {
		return
	}
	l.reportConnection(connection, ValidationError{
		Code: CodeTypeMismatch, NodeID: l.plan.nodes[k.node].id, Port: port.Name,
		Message: fmt.Sprintf("%s does not fit into %s", source.Brief(), port.Type.Brief()),
		Hint:    l.hint().conversion(source, port.Type),
	})
}

// Assign reports whether one of a number of wires may lead from a port of type source into
// a port of type target. A single list goes into a list port unchanged; in all other cases
// each wire brings one item of the list.
func Assign(source, target value.Type, wires int) value.Fit {
	_, fit := assign(&value.Comparison{}, source, target, int32(wires))
	return fit
}

// assign is [Assign]; it also returns how values of such a wire get into the port.
func assign(c *value.Comparison, source, target value.Type, wires int32) (fan, value.Fit) {
	if target.Kind() != value.KindList {
		return fanSingle, c.Assign(source, target)
	}
	elem := target.Elem()
	if wires > 1 || elem.Kind() == value.KindList {
		return fanItems, c.Assign(source, elem)
	}
	switch source.Kind() {
	case value.KindList:
		fit := c.Assign(source, target)
		if source.Nullable() && !target.Nullable() {
			return fanWrap, fit
		}
		return fanSingle, fit
	case value.KindAny:
		return fanWrap, value.Checked
	}
	return fanWrap, c.Assign(source, elem)
}

func (l *level) outputType(o int32) value.Type {
	g := &l.plan.graph
	owner := g.owner[o]
	switch {
	case l.plan.nodes[owner].binding == dormant:
		return value.Any()
	case o == g.errorSlot(owner):
		return node.ErrorType()
	case o == g.doneSlot(owner):
		return value.Bool()
	}
	return l.plan.nodes[owner].outputs[o-g.outLo[owner]].Type
}

// require reports required inputs that have no value.
func (l *level) require() {
	g := &l.plan.graph
	for i := range l.plan.nodes {
		n := &l.plan.nodes[i]
		if n.binding != bound || g.disabled[i] {
			continue
		}
		tried := l.wired(int32(i)) // a wrong connection has been reported already
		for k := range n.inputs {
			in := g.inLo[i] + int32(k)
			unfed := g.wireLo[in] == g.wireLo[in+1] && !node.Present(l.plan.slots[in].value)
			if unfed && n.inputs[k].Required() && !tried(n.inputs[k].Name) {
				l.report(int32(i), missingRequired(&n.inputs[k]))
			}
		}
	}
}

// manyPorts is the number of ports from which an index is faster than a linear search.
const manyPorts = 16

// portIndex returns the index of the port called name, or -1.
func (l *level) portIndex(ports []node.Port, name string) int32 {
	if len(ports) <= manyPorts {
		return int32(slices.IndexFunc(ports, func(p node.Port) bool { return p.Name == name }))
	}
	index, ok := l.portsByName[&ports[0]]
	if !ok {
		index = make(map[string]int32, len(ports))
		for i := range ports {
			index[ports[i].Name] = int32(i)
		}
		l.portsByName[&ports[0]] = index
	}
	if i, ok := index[name]; ok {
		return i
	}
	return -1
}

func portNames(ports []node.Port, more ...string) string {
	n := len(ports) + len(more)
	if n == 0 {
		return "none"
	}
	return listed(n, func(i int) string {
		if i < len(ports) {
			return ports[i].Name
		}
		return more[i-len(ports)]
	})
}

// listed joins up to [limit.Names] of n names.
func listed(n int, name func(i int) string) string {
	names := make([]string, 0, limit.Names+1)
	for i := range min(n, limit.Names) {
		names = append(names, value.Shorten(name(i), maxListed))
	}
	if n > limit.Names {
		names = append(names, fmt.Sprintf("… (%d more)", n-limit.Names))
	}
	return strings.Join(names, ", ")
}

// maxListed is the maximum length of a listed name, in bytes.
const maxListed = 80

// deferred reports whether output port of node i is wired to at least one input, and all
// those inputs accept media that is not made yet. It goes by the specs of the node types;
// ports that depend on the node, such as those of containers, count as taking files only.
// It scans all connections on the first call.
func (l *level) deferred(i int32, port string) bool {
	if l.wants == nil {
		l.findWants()
	}
	w := l.wants[outlet{i, port}]
	return w.recipes && !w.files
}

// wants reports whether the inputs that an output is wired to accept recipes (media not
// made yet), and whether any needs a file.
type wants struct{ recipes, files bool }

func (l *level) findWants() {
	l.wants = make(map[outlet]wants, len(l.ends))
	types := map[string]map[string]bool{} // node type → inputs that take recipes
	for c, e := range l.ends {
		wire := &l.def.Connections[c]
		if e.from < 0 || wire.ToPort == node.AfterPort {
			continue
		}
		at := outlet{e.from, wire.FromPort}
		w := l.wants[at]
		switch {
		case e.to < 0:
			w.files = true
		case l.def.Nodes[e.to].Disabled: // a disabled node takes nothing
		case l.takesRecipes(types, l.def.Nodes[e.to].Type)[wire.ToPort]:
			w.recipes = true
		default:
			w.files = true
		}
		l.wants[at] = w
	}
}

// takesRecipes returns the deferred inputs of a node type. Results are cached in types.
func (l *level) takesRecipes(types map[string]map[string]bool, name string) map[string]bool {
	inputs, known := types[name]
	if known {
		return inputs
	}
	if typ, ok := l.env.Registry.Lookup(name); ok {
		for k := range typ.Spec.Inputs {
			if p := &typ.Spec.Inputs[k]; p.Deferred {
				if inputs == nil {
					inputs = map[string]bool{}
				}
				inputs[p.Name] = true
			}
		}
	}
	types[name] = inputs
	return inputs
}

// takesDeferred is [level.deferred] for output slot o of a plan.
func (p *Plan) takesDeferred(o int32) bool {
	g, found := &p.graph, false
	for _, to := range g.edges[g.edgeLo[o]:g.edgeLo[o+1]] {
		for in := g.inLo[to]; in < g.inLo[to+1]; in++ {
			if in == g.after[to] || !slices.Contains(g.wires[g.wireLo[in]:g.wireLo[in+1]], o) || g.disabled[to] {
				continue
			}
			if !p.port(to, in).Deferred {
				return false
			}
			found = true
		}
	}
	return found
}
