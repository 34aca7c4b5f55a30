package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Hint points at something in a valid workflow that may not do what its author means.
type Hint struct {
	// NodeID is the id of the node; inside a body it is a path, "loop/inner".
	NodeID  string `json:"nodeId,omitempty"`
	Port    string `json:"port,omitempty"`
	Message string `json:"message"`
}

// maxHints is the maximum number of hints for a plan, bodies included.
const maxHints = 100

// Hints returns the hints for a plan in document order: those of its node types, and
// optional inputs that may keep their node from running. A workflow that several nodes call
// is checked once. It takes time linear in the size of the plan.
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

// needs computes what must happen for each node of a plan to run. A need is the number of
// an output slot that may not be taken, or, after those, of a node with a $when.
type needs struct {
	plan *Plan
	ofs  []need // by node
	// entries means that the workflow has several triggers, so that what follows one of
	// them may be missing. With a single trigger, everything follows it or nothing runs.
	entries bool
}

// need is a sorted set of needs. many means that there are more than maxNeeds.
type need struct {
	set  []int32
	many bool
}

// maxNeeds limits the needs of one node, so that the total work stays linear.
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

// doubts returns hints for the optional inputs of node i that make it depend on something
// that none of its other wires depends on.
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

// wired returns how many ports of node i have wires.
func (n *needs) wired(i int32) (ports int) {
	g := &n.plan.graph
	for in := g.inLo[i]; in < g.inLo[i+1]; in++ {
		if g.wireLo[in] < g.wireLo[in+1] {
			ports++
		}
	}
	return ports
}

// all returns the needs of node i through all its ports.
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

// partly returns the needs of node i through its partial ports together.
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

// others returns a function that returns the needs of node i through all its ports but in,
// which must not be partial. The function must be called with ascending ports: it combines
// the needs of the ports before and after in, so that each port is visited once.
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
	return func(in int32) need { // in must ascend
		for ; next < in; next++ {
			if counts(next) {
				before = before.and(n.port(i, next))
			}
		}
		return before.and(behind[in-lo+1])
	}
}

// port returns the needs of input slot in of node i.
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

// slot returns the needs of output slot o.
func (n *needs) slot(o int32) need {
	g := &n.plan.graph
	owner := g.owner[o]
	p, at := &n.plan.nodes[owner], o-g.outLo[owner]
	all := n.ofs[owner]
	if int(at) < len(p.outputs) && p.outputs[at].Optional || o == g.errorSlot(owner) || g.disabled[owner] {
		return all.and(need{set: []int32{o}})
	}
	if p.handled || n.entries && n.plan.fires(owner) { // all outputs come together, or none
		return all.and(need{set: []int32{g.doneSlot(owner)}})
	}
	return all
}

// name returns the name of a need for messages.
func (n *needs) name(x int32) string {
	g := &n.plan.graph
	if when := x - int32(len(g.owner)); when >= 0 {
		return fmt.Sprintf("%q", brief(n.plan.nodes[when].id))
	}
	return n.plan.outputName(x)
}

// outputName returns the name of output slot o for messages.
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

// and returns what is needed if both a and b are needed.
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

// hints words hints that name node types. The engine knows no type by name: it goes by
// their specs.
type hints struct {
	registry   *node.Registry
	containers []string          // all of them
	loops      []string          // types that repeat their body; those without a list first
	over       string            // type that repeats its body for each item of a list
	merge      string            // type that takes the first of several values
	similar    map[string]string // unknown type → hint
}

func newHints(registry *node.Registry) *hints {
	h := &hints{registry: registry, similar: map[string]string{}}
	var overs []string
	for _, s := range registry.Specs() {
		switch {
		case s.Container && s.Loop != nil && s.Loop.Over != "":
			overs = append(overs, s.Type)
		case s.Container && s.Loop != nil:
			h.loops = append(h.loops, s.Type)
		}
		if s.Container {
			h.containers = append(h.containers, s.Type)
		}
		if h.merge == "" && len(s.Inputs) > 0 && !slices.ContainsFunc(s.Inputs, func(p node.Port) bool { return !p.Partial }) {
			h.merge = s.Type
		}
	}
	h.loops = append(h.loops, overs...)
	if len(overs) > 0 {
		h.over = overs[0]
	}
	return h
}

// hint returns the hints that all levels of one Compile share. They are built on first use,
// since most compiles need none.
func (c *compiler) hint() *hints {
	if c.hints == nil {
		c.hints = newHints(c.env.Registry)
	}
	return c.hints
}

// maxUnknown is the number of unknown types for which a document gets suggestions: each
// suggestion compares the name with all types.
const maxUnknown = 100

// unknown suggests known types with a similar name.
func (h *hints) unknown(typ string) string {
	const list = "`svc nodes` lists them all"
	hint, ok := h.similar[typ]
	switch {
	case ok:
		return hint
	case len(h.similar) == maxUnknown:
		return list
	}
	hint = list
	if meant := within("did you mean ", node.Similar(h.registry.Specs(), typ)); meant != "" {
		hint = meant + "? " + list
	}
	h.similar[typ] = hint
	return hint
}

// cycle suggests how to remove a cycle.
func (h *hints) cycle() string {
	return join("remove one of them", within("to repeat nodes, put them into ", h.loops))
}

// twice suggests how to reduce two wires to one.
func (h *hints) twice() string {
	if h.merge == "" {
		return "remove one"
	}
	return join("remove one", h.merge+" takes the first of several that comes")
}

// body suggests where a body may be.
func (h *hints) body() string {
	return cmp.Or(within("move the body into ", h.containers), "remove the body")
}

// conversion suggests the node that converts source to target.
func (h *hints) conversion(source, target value.Type) string {
	from, to := source.Kind(), target.Kind()
	if media, ok := h.media(source, target); ok {
		return media
	}
	if to == value.KindList && from != value.KindList && from != value.KindString {
		to = target.Elem().Kind() // a single value is wrapped in a list
	}
	structured := func(k value.Kind) bool { return k == value.KindList || k == value.KindRecord }
	switch {
	case to == value.KindCredential:
		return "a credential is a reference such as \"pronet:main\"; set it in config or wire a string"
	case from == value.KindList && to != value.KindList && h.over != "":
		hint := "put " + h.over + " around the node"
		if whole, ok := h.registry.Converter(from, to); ok {
			hint += ", or " + whole + " between them"
		}
		return hint
	case to == value.KindString && structured(from):
		return h.between(value.KindRecord, to, value.KindList, to)
	case from == value.KindString && structured(to):
		return h.between(from, value.KindRecord, from, value.KindList)
	case to == value.KindEnum:
		return h.between(value.KindAny, value.KindString, 0, 0)
	case from == value.KindList && to == value.KindList: // the items do not fit
		return h.between(value.KindAny, to, 0, 0)
	}
	return h.between(from, to, 0, 0)
}

// media suggests the node that converts one kind of media to another, alone or in lists. ok
// is false unless both are media.
func (h *hints) media(source, target value.Type) (hint string, ok bool) {
	for source.Kind() == value.KindList {
		source = source.Elem()
	}
	for target.Kind() == value.KindList {
		target = target.Elem()
	}
	if source.Kind() != value.KindMedia || target.Kind() != value.KindMedia {
		return "", false
	}
	if converter, ok := h.registry.MediaConverter(source, target); ok {
		return "put " + converter + " between them", true
	}
	return "", true
}

// between suggests a converter from one kind to another and, if there is a different one
// for lists, that one as well.
func (h *hints) between(from, to, listFrom, listTo value.Kind) string {
	converter, ok := h.registry.Converter(from, to)
	if !ok {
		return ""
	}
	hint := "put " + converter + " between them"
	if listFrom == listTo {
		return hint
	}
	if list, ok := h.registry.Converter(listFrom, listTo); ok && list != converter {
		hint += ", or " + list + " for a list"
	}
	return hint
}

// within joins names with commas and "or", after before; "" if there are none.
func within(before string, names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return before + names[0]
	default:
		return before + strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}

func join(hint, more string) string {
	if more == "" {
		return hint
	}
	return hint + "; " + more
}
