package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// execution is one pass through a plan: a whole run, or one step of a body. All its fields
// belong to the goroutine that called run; attempts on other goroutines report to it
// through reports.
type execution struct {
	*job
	plan   *Plan
	owner  *attempt // the container call whose body this is; nil for a whole run
	worker *CPUSlot // CPU slot of a goroutine that runs a body
	path   string   // put before node ids in events: "loop/3/"
	depth  int      // number of bodies around this one
	step   int      // step number in the owner's body

	inside string // path without steps, "loop/", to look up pins

	recall *recall // what was recorded before the run was interrupted; nil if nothing

	sched   *schedule
	inputs  []any         // of the workflow
	outputs []any         // of the workflow
	values  []any         // by output slot
	carried map[int32]any // by output slot: the value for the next nodes where values has [redacted]
	nodes   []nodeState   // by node
	order   []int32       // nodes in the order they ended
	scratch []any         // inputs of the inline node being called
	inline  inlineCall
	ledger  ledger
	weighed *claim // memory claim of the call whose outputs are being counted; or nil

	now       time.Duration // time of the last change, since the run began
	reports   chan *attempt
	running   int // attempts and pauses that will report
	cancelled bool
	failed    int32 // first node with an unhandled failure; -1
}

// nodeState is the state of a node in an execution.
type nodeState struct {
	live     *attempt // while it is running or pausing
	err      error
	start    time.Duration // since the run began
	took     time.Duration
	cause    cause // of a skip
	attempts int32
	warnings int32 // of the node and of the nodes in its body
	status   Status
	handled  bool
	reused   bool
	redacted bool // the outputs held secrets
}

func newExecution(j *job, p *Plan, inputs []any) *execution {
	g := &p.graph
	slots, n := make([]any, len(g.owner)+len(p.face.outputs)), len(g.owner)
	absent(slots)
	x := &execution{
		job: j, plan: p, inputs: inputs, failed: -1, now: j.since(), values: slots[:n:n], outputs: slots[n:],
		nodes: make([]nodeState, len(p.nodes)), order: make([]int32, 0, len(p.nodes)),
	}
	if s, ok := p.schedules.Get().(*schedule); ok {
		s.reset()
		x.sched = s
	} else {
		x.sched = newSchedule(g)
	}
	return x
}

// hasWaiter reports whether somebody still waits for the result of x: no call around it has
// ended or was abandoned.
func (x *execution) hasWaiter() bool {
	for a := x.owner; a != nil; a = a.x.owner {
		if a.claimed.Load() {
			return false
		}
	}
	return true
}

func absent(slots []any) {
	for i := range slots {
		slots[i] = node.Absent{}
	}
}

// run drives the plan to its end.
func (x *execution) run(ctx context.Context) {
	x.inline = inlineCall{Context: ctx, x: x}
	x.noteSkipped()
	x.compute(ctx)
	for {
		if !x.cancelled && ctx.Err() != nil {
			x.cancel()
		}
		i, ok := x.sched.next()
		switch {
		case ok && (!x.cancelled || x.recalled(i) != nil):
			x.begin(ctx, i)
		case ok:
			// Never started: it ends below as cancelled.
		case x.running > 0:
			x.control.onHandOff().handOffIfIdle()
			x.idle()
			x.await(ctx)
			x.compute(ctx)
		default:
			x.settleRest()
			x.plan.schedules.Put(x.sched)
			x.sched = nil
			return
		}
	}
}

// compute takes the CPU slot of a goroutine that runs a body; idle releases it. A round of
// a loop is short, but there may be very many. If ctx has ended, the execution continues
// without a slot.
func (x *execution) compute(ctx context.Context) {
	if x.worker != nil {
		_ = x.worker.Acquire(ctx)
	}
}

func (x *execution) idle() {
	if x.worker != nil {
		x.worker.Release()
	}
}

// settleRest marks the nodes that a cancelled execution never started as cancelled. If a cancel
// came too late to stop any node, the execution does not count as cancelled.
func (x *execution) settleRest() {
	if !x.cancelled {
		return
	}
	x.cancelled = false
	for i := range x.nodes {
		state := &x.nodes[i]
		if state.status == StatusPending {
			state.status, state.start = StatusCancelled, x.now
		}
		x.cancelled = x.cancelled || state.status == StatusCancelled
	}
}

// begin gathers the inputs of node i and calls it, on this goroutine or another.
func (x *execution) begin(ctx context.Context, i int32) {
	n := &x.plan.nodes[i]
	state := &x.nodes[i]
	if n.role == node.RoleTrigger {
		x.fire(i)
		return
	}
	wanted, err := x.wanted(i)
	if err == nil && !wanted {
		x.sched.decline(i)
		x.noteSkipped()
		return
	}
	if x.before != nil && n.role == node.RoleStep && !x.hold(ctx, i) {
		return
	}
	state.status, state.start = StatusRunning, x.now
	if err != nil {
		x.done(i, err)
		return
	}
	if n.role == node.RoleInput {
		x.values[x.plan.graph.outLo[i]] = x.inputs[n.boundary]
		x.done(i, nil)
		return
	}
	if n.role == node.RoleStep && x.endsAsBefore(i) {
		return
	}
	if x.cancelled {
		x.cutShort(i)
		return
	}
	if x.lost != nil && n.repeatsOnlyOnce() && x.lost(x.pathOf(i)) {
		x.done(i, outcomeUnknown())
		return
	}
	in, inline := x.room(n)
	heavy, err := x.gather(ctx, i, in)
	switch {
	case err != nil:
		x.done(i, err)
	case x.pins != nil && x.answerPinned(i, in):
	case n.role == node.RoleOutput:
		x.outputs[n.boundary] = x.outputValue(n, in)
		x.done(i, nil)
	case inline && !heavy:
		lo, hi := x.plan.graph.outLo[i], x.plan.graph.outEnd(i)
		x.done(i, x.callInline(ctx, n, in, x.values[lo:hi:hi]))
	case inline:
		x.launch(ctx, i, slices.Clone(in))
	default:
		x.launch(ctx, i, in)
	}
	if inline {
		clear(in) // keep no value alive
	}
}

// wanted reports whether the $when of node i lets it run.
func (x *execution) wanted(i int32) (bool, error) {
	when := x.plan.graph.whenWire(i)
	if when < 0 {
		return true, nil
	}
	v, err := conformInput(&x.plan.control[1], x.plan.control[1].Type, x.values[when])
	return v == true, err
}

// room returns space for node n's inputs. Inline nodes share one buffer.
func (x *execution) room(n *planNode) (in []any, inline bool) {
	width := len(n.inputs)
	if n.mode != modeInline {
		return make([]any, width), false
	}
	if cap(x.scratch) < width {
		x.scratch = make([]any, width)
	}
	return x.scratch[:width], true
}

// outputValue returns the value of an output node: that of its only non-literal input.
func (x *execution) outputValue(n *planNode, in []any) any {
	for k := range n.inputs {
		if !n.inputs[k].Literal {
			return in[k]
		}
	}
	return nil
}

// done ends node i now.
func (x *execution) done(i int32, err error) {
	x.now = x.since()
	if x.nodes[i].attempts == 0 {
		x.nodes[i].attempts = 1
	}
	x.end(i, err)
}

// end sets the terminal state of node i and passes its outputs on.
func (x *execution) end(i int32, err error) {
	n, state := &x.plan.nodes[i], &x.nodes[i]
	state.took = x.now - state.start
	x.order = append(x.order, i)
	if err == nil {
		err = x.charge(i)
	}
	switch {
	case err == nil:
		state.status = StatusSucceeded
		state.warnings += x.ownWarnings(i)
		x.cleanOutputs(i)
		x.values[x.plan.graph.doneSlot(i)] = true
	case errors.Is(err, context.Canceled) && x.cancelled:
		state.status = StatusCancelled
		x.tellEnd(i)
		return
	default:
		state.status, state.err, state.handled = StatusFailed, x.failure(err), n.handled
		if stack, ok := errors.AsType[stackError](err); ok {
			x.warn("the node panicked", x.pathOf(i), string(stack))
		}
		x.fail(i)
	}
	x.tellEnd(i)
	x.release(i)
	x.settle(i)
}

// ownWarnings returns how many warnings node i itself emits.
func (x *execution) ownWarnings(i int32) int32 {
	k := x.plan.nodes[i].warnings
	if k < 0 {
		return 0
	}
	list, _ := x.values[x.plan.graph.outLo[i]+k].([]any)
	return int32(len(list))
}

// warnings returns how many warnings the nodes of x gave.
func (x *execution) warnings() (n int) {
	for i := range x.nodes {
		n += int(x.nodes[i].warnings)
	}
	return n
}

// endsAsBefore ends step i with its recorded end, in this run or an earlier one, and reports
// whether there is one.
func (x *execution) endsAsBefore(i int32) bool {
	return x.recall != nil && x.takeRecorded(i) || x.reuse != nil && !x.cancelled && x.takeOver(i)
}

// tellEnd emits the end event of node i, unless it was emitted before the run was interrupted.
func (x *execution) tellEnd(i int32) {
	if x.recall != nil && x.restore(i) {
		return
	}
	x.ended(&x.plan.nodes[i], &x.nodes[i])
	x.events.nodeEnded(x, i)
}

// ended calls Local.Ended for a node that was not called inline.
func (x *execution) ended(n *planNode, state *nodeState) {
	if n.mode != modeInline && !state.reused && x.local.Ended != nil {
		x.local.Ended(n.typ, state.status, state.took)
	}
}

// fail clears the outputs of a failed node and sets its error output if that is wired.
func (x *execution) fail(i int32) {
	g := &x.plan.graph
	absent(x.values[g.outLo[i]:g.outEnd(i)])
	if !x.nodes[i].handled {
		if x.failed < 0 || x.recall != nil && x.endedBefore(i, x.failed) {
			x.failed = i
		}
		return
	}
	err := x.nodes[i].err
	x.values[g.errorSlot(i)] = map[string]any{
		"code": node.CodeOf(err), "message": err.Error(), "nodeId": x.plan.nodes[i].id,
	}
}

// settle tells the scheduler which outputs of node i have values.
func (x *execution) settle(i int32) {
	g := &x.plan.graph
	missing := slotNotTaken
	if x.nodes[i].status == StatusFailed && !x.nodes[i].handled {
		missing = slotFailed
	}
	for o := g.outLo[i]; o < g.outLo[i+1]; o++ {
		if !g.used(o) {
			continue
		}
		if x.values[o] == (node.Absent{}) {
			x.sched.settle(o, missing)
		} else {
			x.sched.settle(o, slotEmitted)
		}
	}
	x.noteSkipped()
}

// noteSkipped sets the terminal state of nodes that the scheduler has skipped.
func (x *execution) noteSkipped() {
	for _, i := range x.sched.skipped {
		state := &x.nodes[i]
		state.status, state.start, state.cause = StatusSkipped, x.now, x.sched.causes[i]
		x.order = append(x.order, i)
		if x.recall == nil || !x.restore(i) {
			x.events.nodeEnded(x, i)
		}
		x.release(i)
	}
	x.sched.skipped = x.sched.skipped[:0]
}

// cleanOutputs redacts the run's secrets in the outputs of node i.
func (x *execution) cleanOutputs(i int32) {
	if !x.scrub.Active() {
		return
	}
	g := &x.plan.graph
	for o := g.outLo[i]; o < g.outEnd(i); o++ {
		v, changed := x.scrub.Changed(x.values[o])
		if !changed {
			continue
		}
		if carried, more := x.scrub.Carried(x.values[o]); more {
			if x.carried == nil {
				x.carried = map[int32]any{}
			}
			x.carried[o] = carried
		}
		x.values[o], x.nodes[i].redacted = v, true
	}
}

// brought returns the value that wires from output slot o bring.
func (x *execution) brought(o int32) any {
	if v, more := x.carried[o]; more {
		return v
	}
	return x.values[o]
}

// failure returns err as an error with a code and a message that may be shown: secrets are
// redacted and its length is limited.
func (x *execution) failure(err error) error {
	var known *node.Error
	text := err.Error()
	if errors.As(err, &known) && !x.scrub.Active() && len(text) <= limit.Failure && known.Message == text {
		return err
	}
	return &node.Error{Code: node.CodeOf(err), Message: value.Shorten(x.scrub.Text(text), limit.Failure), Err: err}
}
