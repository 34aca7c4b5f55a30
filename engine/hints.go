package engine

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Hint is a place of a valid workflow that may not do what its author means.
type Hint struct {
	// NodeID is the node it is about; inside a body it is a path, "loop/inner".
	NodeID  string `json:"nodeId,omitempty"`
	Port    string `json:"port,omitempty"`
	Message string `json:"message"`
}

// maxHints is how many hints a plan gives, bodies included.
const maxHints = 100

// Hints tells what is doubtful about a plan, in document order: what its node types
// say of their nodes, and optional inputs that keep their node from running. A workflow
// that several nodes call is looked at once. It takes time linear in the size of the plan.
func Hints(p *Plan) []Hint { return appendHints(nil, p, "", map[*Plan]bool{}) }

func appendHints(hints []Hint, p *Plan, path string, seen map[*Plan]bool) []Hint {
	n := p.needs()
	seen[p] = true
	for i := range p.nodes {
		id := path + p.nodes[i].id
		for _, h := range p.nodes[i].hints {
			hints = append(hints, Hint{NodeID: id, Port: h.Port, Message: h.Message})
		}
		for _, h := range n.doubts(int32(i)) {
			h.NodeID = id
			hints = append(hints, h)
		}
		if body := p.nodes[i].body; body != nil && !seen[body] {
			hints = appendHints(hints, body, value.Shorten(id+"/", limit.Message/2), seen)
		}
		if len(hints) >= maxHints {
			return hints[:maxHints]
		}
	}
	return hints
}

// needs knows on what it depends whether the nodes of a plan run. A need is an output
// slot that may not be taken, or, numbered behind these, the $when of a node.
type needs struct {
	plan *Plan
	ofs  []need // by node
	// entries says that one of several triggers starts the workflow, so that what comes of
	// one may be missing. Of a single one everything does, or nothing is meant to.
	entries bool
}

// need is a set of needs, sorted; many says that there are too many to be told.
type need struct {
	set  []int32
	many bool
}

// maxNeeds bounds what is known of one node, so that the whole stays linear.
const maxNeeds = 32

func (p *Plan) needs() *needs {
	n := &needs{plan: p, ofs: make([]need, len(p.nodes)), entries: len(p.Triggers()) > 1}
	g := &p.graph
	s := newSchedule(g)
	for i, ok := s.next(); ok; i, ok = s.next() {
		all := n.all(i)
		if g.whenWire(i) >= 0 {
			all = all.and(need{set: []int32{int32(len(g.owner)) + i}})
		}
		n.ofs[i] = all
		for o := g.outLo[i]; o < g.outLo[i+1]; o++ {
			s.settle(o, slotEmitted)
		}
	}
	return n
}

// doubts names the optional inputs of node i that make it depend on something on which
// none of its other wires does.
func (n *needs) doubts(i int32) (hints []Hint) {
	g, inputs := &n.plan.graph, n.plan.nodes[i].inputs
	if n.wired(i) < 2 {
		return nil
	}
	rest := n.others(i)
	for k := range inputs {
		in := g.inLo[i] + int32(k)
		if inputs[k].Required() || g.partial[in] || g.wireLo[in] == g.wireLo[in+1] {
			continue
		}
		others, own := rest(in), n.port(i, in)
		if own.many || others.many {
			continue
		}
		at := slices.IndexFunc(own.set, func(x int32) bool { return !slices.Contains(others.set, x) })
		if at >= 0 {
			hints = append(hints, Hint{Port: inputs[k].Name, Message: fmt.Sprintf(
				"the input %q is optional, but wired: where %s does not come, the whole node is skipped; "+
					"if it is to run all the same, merge both sides before it", brief(inputs[k].Name), n.name(own.set[at]))})
		}
		if len(hints) == maxHints {
			break
		}
	}
	return hints
}

// wired returns into how many ports of node i wires lead.
func (n *needs) wired(i int32) (ports int) {
	g := &n.plan.graph
	for in := g.inLo[i]; in < g.inLo[i+1]; in++ {
		if g.wireLo[in] < g.wireLo[in+1] {
			ports++
		}
	}
	return ports
}

// all returns what node i needs by all its ports.
func (n *needs) all(i int32) need {
	g := &n.plan.graph
	var all need
	for in := g.inLo[i]; in < g.inLo[i+1]; in++ {
		if g.wireLo[in] < g.wireLo[in+1] && !g.partial[in] {
			all = all.and(n.port(i, in))
		}
	}
	return all.and(n.partly(i))
}

// partly returns what node i needs by its partial ports together.
func (n *needs) partly(i int32) (partial need) {
	g := &n.plan.graph
	first := true
	for in := g.inLo[i]; in < g.inLo[i+1]; in++ {
		switch {
		case !g.partial[in] || g.wireLo[in] == g.wireLo[in+1]:
		case first:
			partial, first = n.port(i, in), false
		default:
			partial = partial.or(n.port(i, in))
		}
	}
	return partial
}

// others returns a function that tells what node i needs by all its ports but one, which is
// not partial. It has what the ports before each one need and what those behind it need,
// so that it looks at each port once.
func (n *needs) others(i int32) func(in int32) need {
	g := &n.plan.graph
	lo, hi := g.inLo[i], g.inLo[i+1]
	behind := make([]need, hi-lo+1)
	behind[hi-lo] = n.partly(i)
	counts := func(in int32) bool { return g.wireLo[in] < g.wireLo[in+1] && !g.partial[in] }
	for in := hi - 1; in >= lo; in-- {
		behind[in-lo] = behind[in-lo+1]
		if counts(in) {
			behind[in-lo] = n.port(i, in).and(behind[in-lo+1])
		}
	}
	var before need
	next := lo
	return func(in int32) need { // asked in ascending order
		for ; next < in; next++ {
			if counts(next) {
				before = before.and(n.port(i, next))
			}
		}
		return before.and(behind[in-lo+1])
	}
}

// port returns what has to come for input slot in of node i to be fed.
func (n *needs) port(i, in int32) (all need) {
	g := &n.plan.graph
	for k, o := range g.wires[g.wireLo[in]:g.wireLo[in+1]] {
		switch {
		case k == 0 || in == g.after[i]:
			all = all.and(n.slot(o))
		default:
			all = all.or(n.slot(o))
		}
	}
	return all
}

// slot returns what has to come for output slot o to come.
func (n *needs) slot(o int32) need {
	g := &n.plan.graph
	owner := g.owner[o]
	p, at := &n.plan.nodes[owner], o-g.outLo[owner]
	all := n.ofs[owner]
	if int(at) < len(p.outputs) && p.outputs[at].Optional || o == g.errorSlot(owner) || g.disabled[owner] {
		return all.and(need{set: []int32{o}})
	}
	if p.handled || n.entries && n.plan.fires(owner) { // all of them come together, or none
		return all.and(need{set: []int32{g.doneSlot(owner)}})
	}
	return all
}

// name is what a user calls a need.
func (n *needs) name(x int32) string {
	g := &n.plan.graph
	if when := x - int32(len(g.owner)); when >= 0 {
		return fmt.Sprintf("%q", brief(n.plan.nodes[when].id))
	}
	return n.plan.outputName(x)
}

// outputName is what a user calls output slot o.
func (p *Plan) outputName(o int32) string {
	g := &p.graph
	owner := g.owner[o]
	n, at := &p.nodes[owner], o-g.outLo[owner]
	port := node.DonePort
	switch {
	case o == g.errorSlot(owner):
		port = node.ErrorPort
	case int(at) < len(n.outputs):
		port = n.outputs[at].Name
	}
	return fmt.Sprintf("%q of %q", brief(port), brief(n.id))
}

// and returns what both need together, or what each of them needs.
func (a need) and(b need) need {
	if a.many || b.many {
		return need{many: true}
	}
	set := slices.Concat(a.set, b.set)
	slices.Sort(set)
	if set = slices.Compact(set); len(set) > maxNeeds {
		return need{many: true}
	}
	return need{set: set}
}

func (a need) or(b need) need {
	switch {
	case a.many:
		return b
	case b.many:
		return a
	}
	var set []int32
	for _, x := range a.set {
		if slices.Contains(b.set, x) {
			set = append(set, x)
		}
	}
	return need{set: set}
}
