package engine

import (
	"context"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Keep says which outputs of nodes a run keeps until it ends.
type Keep uint8

const (
	// KeepAll keeps every output.
	KeepAll Keep = iota
	// KeepShown drops outputs that are too large to be shown as soon as no node needs them.
	// Results and events show {"$elided":…}, with the size, instead.
	KeepShown
)

// letGo replaces an output that was dropped.
type letGo struct{ bytes int } // of its JSON

// ledger counts the memory of the values that an execution keeps. Weighing a value means to
// compute its size in memory. While the heap is smaller than half of the run's budget, only
// the first items of large values are weighed, because weighing is slow; above that, whole
// values are. Parts that several values share are counted once for each value, until the
// sum exceeds the budget: then all values are weighed together, and each part counts once.
type ledger struct {
	sum     int64                  // of all kept values
	charged int64                  // part of sum that was charged to the run's budget
	weighed int64                  // result of the last weighing of all values together; 0 before that
	added   int64                  // bytes added since that weighing
	gone    int64                  // bytes removed since that weighing
	rough   bool                   // some large values were weighed in part only
	large   map[int32]*largeOutput // values that may be dropped before the end, by output slot
	gauge   value.Gauge            // measures values in large; it keeps no dropped value alive
}

// largeOutput is an output that may be dropped when no node needs it.
type largeOutput struct {
	bytes int64
	wires int32 // to nodes that have not ended
}

const (
	word        = 16       // bytes of a value that is only a number
	chargeAfter = 64 << 10 // bytes that an execution may keep without charging them to its run
	weighFirst  = 256      // how many items of a value are always weighed
	weighAfter  = 64       // all values are weighed again after 1/64 of the budget was added or removed
)

// total returns an upper bound of the bytes that the values take.
func (l *ledger) total() int64 {
	if l.weighed > 0 {
		return min(l.sum, l.weighed+l.added)
	}
	return l.sum
}

func (l *ledger) add(n int64) {
	l.sum += n
	l.added += n
}

func (l *ledger) remove(n int64) {
	l.sum -= n
	l.gone += n
}

// charge counts the CPU time and the outputs of node i against the budgets of the run. It returns
// an error if one is exceeded.
func (x *execution) charge(i int32) error {
	if err := x.computing.spend(&x.plan.nodes[i], x.nodes[i].took); err != nil {
		return err
	}
	return x.keep(i)
}

// keep counts the outputs of node i. It returns an error if they exceed the memory budget.
func (x *execution) keep(i int32) error {
	n, g := &x.plan.nodes[i], &x.plan.graph
	if n.role == node.RoleInput && x.owner != nil {
		return nil // the enclosing execution counts it
	}
	bytes := 0
	for o := g.outLo[i]; o < g.outEnd(i); o++ {
		bytes += x.weigh(o, x.values[o])
	}
	if n.role == node.RoleOutput {
		bytes += x.weigh(^n.boundary, x.outputs[n.boundary])
	}
	x.ledger.add(int64(bytes))
	if x.ledger.rough && !x.memory.underHalfBudget() {
		x.weighKept()
	}
	if x.ledger.total()-x.ledger.charged < chargeAfter {
		return nil
	}
	return x.chargeRun(n, int64(bytes))
}

// weigh returns how many bytes v takes, and notes v in large if it may be dropped later.
func (x *execution) weigh(slot int32, v any) int {
	switch v := v.(type) {
	case nil, bool, int, float64, node.Absent:
		return word
	case string:
		if len(v) < limit.Shown {
			return word + len(v)
		}
	}
	bytes, all := value.WeightOfFirst(weighFirst, v)
	if !all {
		if x.memory.underHalfBudget() {
			x.ledger.rough = true
		} else {
			bytes = value.Weight(v)
		}
	}
	if all && bytes <= limit.Shown || slot < 0 || x.keepsAll() {
		return bytes
	}
	if x.ledger.large == nil {
		x.ledger.large = map[int32]*largeOutput{}
	}
	x.ledger.large[slot] = &largeOutput{bytes: int64(bytes), wires: x.plan.graph.edgeLo[slot+1] - x.plan.graph.edgeLo[slot]}
	return bytes
}

// chargeRun charges the run for the values that x keeps. If that exceeds the budget, it
// removes the bytes that node n added and returns an error.
func (x *execution) chargeRun(n *planNode, bytes int64) error {
	l := &x.ledger
	due := l.total() - l.charged
	err := x.count(due, n)
	if err != nil && (l.weighed == 0 || l.added+l.gone >= x.memory.most/weighAfter) {
		x.weighKept()
		due = l.total() - l.charged
		err = x.count(due, n)
	}
	if err == nil {
		l.charged += due
		err = x.memory.fits()
	}
	if err != nil {
		l.add(-bytes)
	}
	return err
}

// count charges the run for n more bytes, or fewer if n is negative. Bytes that the call
// still holds for its outputs are charged already.
func (x *execution) count(n int64, by *planNode) error {
	var held int64
	if x.weighed != nil {
		held = max(0, min(n, x.weighed.held.Load()))
	}
	err := x.memory.take(n-held, by)
	if err == nil && held > 0 {
		x.weighed.held.Add(-held)
	}
	return err
}

// weighKept weighs all values exactly.
func (x *execution) weighKept() {
	l := &x.ledger
	l.weighed, l.added, l.gone, l.rough = x.weighAll(), 0, 0, false
	l.sum = max(l.sum, l.weighed)
}

// weighAll weighs all values of x together. It does not count inputs of a body, which belong to
// the enclosing execution.
func (x *execution) weighAll() int64 {
	var s value.Scale
	around := 0
	if x.owner != nil {
		for _, v := range x.inputs {
			s.Add(v)
		}
		around = s.Sum()
	}
	for _, v := range x.values {
		s.Add(v)
	}
	for _, v := range x.outputs {
		s.Add(v)
	}
	return int64(s.Sum() - around)
}

// release drops large outputs that only node i, which has ended, still needed.
func (x *execution) release(i int32) {
	if len(x.ledger.large) == 0 {
		return
	}
	g := &x.plan.graph
	for _, o := range g.wires[g.wireLo[g.inLo[i]]:g.wireLo[g.inLo[i+1]]] {
		if p := x.ledger.large[o]; p != nil {
			p.wires--
			x.letGo(o, p)
		}
	}
	for o := g.outLo[i]; o < g.outEnd(i); o++ {
		if p := x.ledger.large[o]; p != nil {
			x.letGo(o, p)
		}
	}
}

// keepsAll reports whether x drops no output. Outputs inside bodies never appear in a
// result, so they may always be dropped.
func (x *execution) keepsAll() bool { return x.keeps == KeepAll && x.owner == nil }

// letGo drops the value in output slot o if no node needs it.
func (x *execution) letGo(o int32, p *largeOutput) {
	v := x.values[o]
	if p.wires > 0 {
		return
	}
	delete(x.ledger.large, o)
	delete(x.carried, o)
	about, exceeds := x.ledger.gauge.Measure(v, limit.Shown)
	if !exceeds {
		return // its JSON is short enough to be shown
	}
	x.values[o] = letGo{max(limit.Shown+1, about)}
	x.forget()
	x.ledger.remove(p.bytes)
	if spare := x.ledger.charged - x.ledger.total(); spare >= chargeAfter {
		x.ledger.charged -= spare
		x.memory.give(spare)
	}
}

// forget clears the gauge, unless it has measured a list that is still in large.
func (x *execution) forget() {
	for o := range x.ledger.large {
		if list, ok := x.values[o].([]any); ok && x.ledger.gauge.Knows(list) {
			return
		}
	}
	x.ledger.gauge = value.Gauge{}
}

// letAllGo drops all values that are too large to be shown, if the run was ended for
// exceeding its memory. The result does not show them, and other runs need the memory.
// Measuring them is slow, so it takes a CPU slot.
func (x *execution) letAllGo(ctx context.Context) {
	if !x.memory.over.Load() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	turn := x.local.Processors.Slot()
	defer turn.Release()
	x.ledger.gauge = value.Gauge{}
	for o, v := range x.values {
		if value.Exceeds(v, limit.Shown) {
			_ = turn.Acquire(ctx)
			x.values[o] = letGo{elidedBytes(v, limit.Shown)}
		}
	}
}

// giveBack releases the memory that x was charged for.
func (x *execution) giveBack() {
	if x.ledger.charged != 0 {
		x.memory.give(x.ledger.charged)
	}
}

// inlineCall is the context of calls of inline nodes, which have no attempt.
type inlineCall struct {
	context.Context // of the execution

	x     *execution
	node  *planNode // being called
	claim claim
}

// Value implements [context.Context].
func (c *inlineCall) Value(key any) any {
	if key == (node.HolderKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Hold implements [node.Holder].
func (c *inlineCall) Hold(bytes int) error {
	return c.claim.hold(c.Context, &c.x.memory, bytes, c.node, nil)
}

// callInline calls node n on the goroutine of the execution.
func (x *execution) callInline(ctx context.Context, n *planNode, in, out []any) error {
	c := &x.inline
	c.Context, c.node = ctx, n
	err := call(c, n.call, in, out) //nolint:contextcheck // c is made of ctx
	c.claim.giveBack(&x.memory)
	return err
}
