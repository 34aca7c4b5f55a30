package engine

import (
	"context"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Keep says which outputs of nodes a run keeps to its end.
type Keep uint8

const (
	// KeepAll keeps every output.
	KeepAll Keep = iota
	// KeepShown lets those go that are too large to be shown, as soon as no node needs
	// them any more; their size stays known. Results and events show {"$elided":…} for them.
	KeepShown
)

// letGo stands for an output that is not kept any more.
type letGo struct{ bytes int } // of its JSON

// ledger is what an execution counts of the values that it keeps. While the whole heap has
// less than one run may keep, large values are weighed in part, which costs next to nothing;
// all is weighed as soon as the heap has more. What values have in
// common is counted as often as it is met, until that is too much: then all are weighed
// together, each part once.
type ledger struct {
	sum     int64                  // of all that is kept
	charged int64                  // of that, to the share of the run
	weighed int64                  // what all took when they were weighed together; 0 if they never were
	added   int64                  // since then
	gone    int64                  // since then
	rough   bool                   // some large values were not weighed to their end, as there is much room
	large   map[int32]*largeOutput // values that may be let go before the end, by output slot
	gauge   value.Gauge            // of those; it remembers nothing that was let go
}

// largeOutput is a large value.
type largeOutput struct {
	bytes int64
	wires int32 // to nodes that have not ended
}

const (
	word        = 16       // bytes of a value that is only a number
	chargeAfter = 64 << 10 // bytes that an execution may keep before its run hears of it
	weighFirst  = 256      // so many values of an output are weighed in any case
	weighAfter  = 64       // the part of the budget that has to come or go before all is weighed again
)

// total returns how many bytes the values take at most.
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

// charge counts what node i has taken and put out. Its error is that this is too much.
func (x *execution) charge(i int32) error {
	if err := x.computing.spend(&x.plan.nodes[i], x.nodes[i].took); err != nil {
		return err
	}
	return x.keep(i)
}

// keep counts what node i has put out. Its error is that the run may not keep it.
func (x *execution) keep(i int32) error {
	n, g := &x.plan.nodes[i], &x.plan.graph
	if n.role == node.RoleInput && x.owner != nil {
		return nil // it belongs to what is around x
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

// weigh returns what v takes, and remembers it by its slot if that is much.
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

// chargeRun tells the run what x keeps, which has become bytes more by node n. If that is too
// much, n has failed.
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

// count counts n bytes more that x keeps, or fewer. They come out of what the call still
// holds that has made them, as far as that goes.
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

// weighKept makes what is counted exact.
func (x *execution) weighKept() {
	l := &x.ledger
	l.weighed, l.added, l.gone, l.rough = x.weighAll(), 0, 0, false
	l.sum = max(l.sum, l.weighed)
}

// weighAll weighs all values that x keeps together. What it has from around it is not
// counted.
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

// release lets go of what only node i, which has ended, still needed.
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

// keepsAll reports whether x lets no output go. Those in bodies are in no result.
func (x *execution) keepsAll() bool { return x.keeps == KeepAll && x.owner == nil }

// letGo lets go of the value in output slot o if no node needs it.
func (x *execution) letGo(o int32, p *largeOutput) {
	v := x.values[o]
	if p.wires > 0 {
		return
	}
	delete(x.ledger.large, o)
	delete(x.carried, o)
	about, exceeds := x.ledger.gauge.Measure(v, limit.Shown)
	if !exceeds {
		return // its JSON is short, and shown
	}
	x.values[o] = letGo{max(limit.Shown+1, about)}
	x.forget()
	x.ledger.remove(p.bytes)
	if spare := x.ledger.charged - x.ledger.total(); spare >= chargeAfter {
		x.ledger.charged -= spare
		x.memory.give(spare)
	}
}

// forget has the gauge remember only a list that is still there, and will be measured.
func (x *execution) forget() {
	for o := range x.ledger.large {
		if list, ok := x.values[o].([]any); ok && x.ledger.gauge.Knows(list) {
			return
		}
	}
	x.ledger.gauge = value.Gauge{}
}

// letAllGo lets go of all that is too large to be shown, of a run that was ended for its memory:
// who reads of it needs none of that, and others need the room. To say how large something is
// takes so long that it needs a place.
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

// giveBack tells the run that x keeps nothing any more.
func (x *execution) giveBack() {
	if x.ledger.charged != 0 {
		x.memory.give(x.ledger.charged)
	}
}

// inlineCall is the context of inline nodes, which have no attempt.
type inlineCall struct {
	context.Context // of the execution

	x     *execution
	node  *planNode // that is being called
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

// callInline calls node n where the scheduler is.
func (x *execution) callInline(ctx context.Context, n *planNode, in, out []any) error {
	c := &x.inline
	c.Context, c.node = ctx, n
	err := call(c, n.call, in, out) //nolint:contextcheck // c is made of ctx
	c.claim.giveBack(&x.memory)
	return err
}
