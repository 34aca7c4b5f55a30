package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Env is what definitions are compiled against: node types, stored workflows and limits.
type Env struct {
	Registry *node.Registry
	// Load returns a stored workflow. If there is none, its error wraps
	// [workflow.ErrNotFound]. nil means that there are no stored workflows.
	Load func(ctx context.Context, id string) (*workflow.Definition, error)
	// Limits bounds definitions; its zero value bounds nothing.
	Limits workflow.Limits
}

// Compile turns a definition into a plan. If anything is wrong with the
// definition, the error is [ValidationErrors] with the problems in document order;
// any other error comes from env.Load or ctx. Compile calls no executor and takes
// time linear in the size of the definition.
func Compile(ctx context.Context, def *workflow.Definition, env Env) (*Plan, error) {
	c := newCompiler(ctx, env)
	p := &problems{}
	if err := workflow.CheckID(def.ID); err != nil {
		p.add(-1, &ValidationError{Code: CodeInvalidID, Message: "the workflow's id: " + err.Error()})
	}
	if def.ID != "" {
		c.opened = append(c.opened, def.ID)
	}
	plan := c.compile(def, p, "")
	if c.err != nil {
		return nil, c.err
	}
	if p.count() > 0 {
		return nil, p.sorted()
	}
	plan.loaded = c.loaded
	return plan, nil
}

// compiler is the state that all levels of one Compile share.
type compiler struct {
	env         Env
	nodes       int // counted over all levels
	connections int
	ports       int
	depth       int
	opened      []string // stored workflows around the current level, outermost first
	loaded      []string
	stored      map[string]*storedBody
	hints       *hints // nil until one is needed
	effort
}

// level compiles one definition: the workflow itself, or a body.
type level struct {
	*compiler
	*problems
	def   *workflow.Definition
	path  string // put before node ids in problems
	plan  *Plan
	index map[string]int32 // node id → number
	twice map[string]bool  // ids that occur more than once
	ends  []ends           // by connection
	// The connections into node i are into[intoLo[i]:intoLo[i+1]].
	into, intoLo []int32
	outlets      map[outlet]bool                 // outputs that a connection leads from; nil until first needed
	wants        map[outlet]wants                // what the inputs behind each output take; nil until first needed
	portsByName  map[*node.Port]map[string]int32 // first port of a list → index of the list
}

// ends are the node numbers of a connection, or -1 for unknown nodes.
type ends struct{ from, to int32 }

// compile adds the problems of def to p. The returned plan is usable only if there are
// none.
func (c *compiler) compile(def *workflow.Definition, p *problems, path string) *Plan {
	c.depth++
	defer func() { c.depth-- }()
	l := &level{
		compiler: c, problems: p, def: def, path: path,
		plan:  &Plan{id: def.ID, nodes: make([]planNode, len(def.Nodes))},
		index: make(map[string]int32, len(def.Nodes)), twice: map[string]bool{}, portsByName: map[*node.Port]map[string]int32{},
	}
	if !l.withinLimits() {
		return nil
	}
	l.indexNodes()
	l.findEnds()
	for i := 0; i < len(def.Nodes) && l.step(); i++ {
		l.bind(int32(i))
		l.countPorts(int32(i))
	}
	for _, phase := range []func(){l.layOut, l.connect, l.require, l.findCycle, l.findInterface} {
		if l.err != nil {
			return nil
		}
		phase()
	}
	return l.plan
}

// report adds a problem of node i.
func (l *level) report(i int32, e ValidationError) {
	e.NodeID = l.path + l.def.Nodes[i].ID
	l.add(int(i), &e)
}

// reportConnection adds a problem of connection i. e.NodeID is optional.
func (l *level) reportConnection(i int, e ValidationError) {
	if e.NodeID != "" {
		e.NodeID = l.path + e.NodeID
	}
	e.Connection = &i
	l.add(len(l.def.Nodes)+i, &e)
}

func (l *level) indexNodes() {
	for i := range l.def.Nodes {
		n := &l.def.Nodes[i]
		if err := workflow.CheckNodeID(n.ID); err != nil {
			l.report(int32(i), ValidationError{Code: CodeInvalidID, Message: "the node's id: " + err.Error()})
		}
		if _, twice := l.index[n.ID]; twice {
			l.report(int32(i), ValidationError{
				Code: CodeDuplicateNodeID, Message: fmt.Sprintf("two nodes have the id %q", brief(n.ID)), Hint: "give one of them another id",
			})
			l.twice[n.ID] = true
			continue
		}
		l.index[n.ID] = int32(i)
	}
}

// findEnds looks up the nodes of all connections.
func (l *level) findEnds() {
	l.ends = make([]ends, len(l.def.Connections))
	for i := 0; i < len(l.def.Connections) && l.step(); i++ {
		c := &l.def.Connections[i]
		from, to := l.lookup(c.FromNodeID), l.lookup(c.ToNodeID)
		if from < 0 {
			l.reportConnection(i, ValidationError{
				Code: CodeMissingSourceNode, NodeID: c.FromNodeID, Port: c.FromPort,
				Message: fmt.Sprintf("there is no node %q to come from", brief(c.FromNodeID)), Hint: "remove the connection",
			})
		}
		if to < 0 {
			l.reportConnection(i, ValidationError{
				Code: CodeMissingTargetNode, NodeID: c.ToNodeID, Port: c.ToPort,
				Message: fmt.Sprintf("there is no node %q to lead to", brief(c.ToNodeID)), Hint: "remove the connection",
			})
		}
		l.ends[i] = ends{from, to}
	}
	l.groupByTarget()
}

// groupByTarget groups the connections by target with a counting sort.
func (l *level) groupByTarget() {
	l.intoLo = make([]int32, len(l.def.Nodes)+1)
	for _, e := range l.ends {
		if e.to >= 0 {
			l.intoLo[e.to+1]++
		}
	}
	sum(l.intoLo)
	l.into = make([]int32, l.intoLo[len(l.def.Nodes)])
	next := slices.Clone(l.intoLo)
	for i, e := range l.ends {
		if e.to >= 0 {
			l.into[next[e.to]] = int32(i)
			next[e.to]++
		}
	}
}

func (l *level) lookup(id string) int32 {
	if i, ok := l.index[id]; ok {
		return i
	}
	return -1
}

func newCompiler(ctx context.Context, env Env) *compiler {
	c := &compiler{env: env, stored: map[string]*storedBody{}, effort: effort{ctx: ctx}}
	c.types.Step = c.compare
	return c
}

// effort counts the work of one Compile. It limits work that can grow faster than the
// document, and stops when the context ends.
type effort struct {
	ctx      context.Context // lives as long as the call of Compile
	steps    int
	compared int // members and fields of types
	types    value.Comparison
	err      error // why to stop: from ctx or Env.Load, or a limit was exceeded
}

// checkEvery is the number of steps between checks of the context.
const checkEvery = 10_000

// step counts a step and reports whether to continue.
func (e *effort) step() bool {
	if e.steps++; e.steps%checkEvery == 0 && e.err == nil {
		e.err = e.ctx.Err()
	}
	return e.err == nil
}

// compare counts a step of comparing types. It has a limit, because each type of a document
// can be wired to each other one.
func (e *effort) compare() bool {
	if e.compared++; e.compared > limit.Comparisons && e.err == nil {
		e.err = tooMuch("the types on both ends of the connections have more than %d fields and members to compare", limit.Comparisons)
	}
	return e.step()
}

func tooMuch(format string, args ...any) ValidationErrors {
	return ValidationErrors{{
		Code: CodeLimitExceeded, Message: fmt.Sprintf(format, args...),
		Hint: "split the workflow and call the parts as sub-workflows",
	}}
}

// countPorts counts the ports of node i against the limit on all ports: a small document
// can call workflows with many inputs.
func (l *level) countPorts(i int32) {
	n := &l.plan.nodes[i]
	l.ports += len(n.inputs) + len(n.outputs)
	if most := l.env.Limits.Ports; most > 0 && l.ports > most && l.err == nil {
		l.err = tooMuch("the nodes have more than %d inputs and outputs together", most)
	}
}

func (l *level) withinLimits() bool {
	l.nodes += len(l.def.Nodes)
	l.connections += len(l.def.Connections)
	limits := l.env.Limits
	exceeded := func(what string, n, limit int) bool {
		if limit == 0 || n <= limit {
			return false
		}
		l.add(-1, tooMuch("%d %s; the limit is %d", n, what, limit)[0])
		return true
	}
	return !exceeded("nodes", l.nodes, limits.Nodes) &&
		!exceeded("connections", l.connections, limits.Connections) &&
		!exceeded("levels of bodies", l.depth-1, limits.Depth)
}
