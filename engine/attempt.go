package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// attempt is one call of a node on a separate goroutine, or the pause before it. Either
// finish or abandon reports it to its execution, whichever comes first. It is also the
// context of the call and its [node.Run].
type attempt struct {
	context.Context // set by begin

	x       *execution
	node    int32
	number  int32 // from 1
	in      []any
	waiting *time.Timer // of the pause; nil once it is over

	claimed atomic.Bool // set by finish or abandon, which then set out and err
	called  atomic.Bool // false if the run ended while the call was queued
	start   time.Duration
	cancel  context.CancelCauseFunc
	timeout *time.Timer
	claim   claim    // see Hold
	slot    *CPUSlot // of nodes that only compute

	warnings  atomic.Int32 // of the nodes in its body
	cause     error        // see NotDone
	abandoned bool         // the call still runs, but nobody waits for it
	resumed   bool         // was running or due when the run was interrupted; recorded nodes inside belong to it
	silent    bool         // the end event was emitted before; called again for its outputs only
	out       []any
	err       error
}

// launch starts the first attempt at node i.
func (x *execution) launch(ctx context.Context, i int32, in []any) {
	if x.reports == nil {
		x.reports = make(chan *attempt, 16)
	}
	a := &attempt{x: x, node: i, number: 1, in: in}
	if x.recall != nil && x.goOnWith(ctx, a) {
		return
	}
	x.resume(ctx, a)
}

// resume starts attempt a after its pause, if any. Steps that do not need the goroutine of
// the call run here, where the stack is already large enough.
func (x *execution) resume(ctx context.Context, a *attempt) {
	x.running++
	state := &x.nodes[a.node]
	state.live, state.attempts = a, a.number
	if x.plan.nodes[a.node].computes {
		a.slot = x.local.Processors.Slot()
	}
	switch {
	case !a.ready():
		go a.queue(ctx)
	case !x.control.onHandOff().mayBegin(a):
		go a.hold(ctx)
	default:
		a.begin(ctx, x.now)
		go a.call() //nolint:contextcheck // the attempt is its own context
	}
}

// await takes one report, or notices that the run was cancelled.
func (x *execution) await(ctx context.Context) {
	done := ctx.Done()
	if x.cancelled {
		done = nil
	}
	select {
	case <-done:
		x.now = x.since()
		x.cancel()
	case a := <-x.reports:
		x.now = x.since()
		x.running--
		paused := a.waiting != nil
		x.take(ctx, a)
		if !paused {
			x.control.onHandOff().ended(a)
		}
	}
}

// take acts on a report: the node ends, or is tried again.
func (x *execution) take(ctx context.Context, a *attempt) {
	n, state := &x.plan.nodes[a.node], &x.nodes[a.node]
	state.live = nil
	if ctx.Err() != nil && !x.cancelled {
		x.cancel()
	}
	called := a.called.Load()
	if !a.abandoned && (!called || a.err != nil) {
		a.giveBack()
	}
	if called && a.number == 1 && (!a.resumed || n.computes) {
		state.start = a.start
	}
	switch {
	case a.waiting != nil && !x.cancelled:
		a.waiting = nil
		x.control.waits().waited(a)
		x.resume(ctx, a)
	case called && a.err == nil:
		x.endAfter(ctx, a)
	case x.cancelled:
		x.cancelledBefore(a, called)
	case int(a.number) >= n.retry.Attempts(), node.IsPermanent(a.err), node.RetryAfter(a.err) > n.timeout:
		x.end(a.node, a.err)
	default:
		x.pauseBefore(ctx, a)
	}
}

// endAfter ends the node of attempt a with the outputs of the call. The memory that the
// call holds is released only after the outputs are counted. Counting takes a while, and
// nobody else may reserve the same memory meanwhile.
func (x *execution) endAfter(ctx context.Context, a *attempt) {
	if x.bringsMuch(a.node) || x.worker == nil && slices.ContainsFunc(a.out, huge) {
		defer x.turn(ctx)()
	}
	copy(x.values[x.plan.graph.outLo[a.node]:], a.out)
	x.nodes[a.node].warnings = a.warnings.Load()
	a.claim.made(x.memory.all)
	x.weighed = &a.claim
	x.end(a.node, nil)
	x.weighed = nil
	a.giveBack()
}

// cancelledBefore ends the node of attempt a after a cancellation. A node whose first call
// has not begun counts as never started.
func (x *execution) cancelledBefore(a *attempt, called bool) {
	state := &x.nodes[a.node]
	if !called {
		state.attempts = a.number - 1
	}
	if state.attempts == 0 {
		state.status = StatusPending
		return
	}
	x.end(a.node, context.Canceled)
}

// cancel stops starting nodes. Running attempts see that their context has ended and get a
// grace period; pauses between attempts end here.
func (x *execution) cancel() {
	x.cancelled = true
	for i := range x.nodes {
		a := x.nodes[i].live
		switch {
		case a == nil:
		case a.waiting == nil:
			time.AfterFunc(x.grace(), a.abandon)
		case a.waiting.Stop():
			x.control.waits().waited(a)
			x.running--
			x.nodes[i].live = nil
			x.end(int32(i), context.Canceled)
		}
	}
}

// grace is how long a call may run after its context has ended before it is abandoned.
// Inner calls get less, so that an inner failure is known before the outer call is
// abandoned. Calls for a run of another process get less, too: that process would abandon
// them, and report it, at the same moment.
func (x *execution) grace() time.Duration {
	grace := 800 * time.Millisecond / time.Duration(x.depth+1)
	if x.answers {
		grace -= grace / 4
	}
	return grace
}

// errTimeout is the cancellation cause of an attempt that exceeds its timeout.
var errTimeout = fmt.Errorf("timeout: %w", context.DeadlineExceeded)

// errExit is the failure of a node that ends its goroutine, for example with FailNow.
var errExit = node.Errorf(node.CodePanic, "the node called runtime.Goexit")

// places returns the semaphore that limits the call: for nodes that only compute, that of
// the run's processors; for others, that of concurrent calls. It returns nil for
// containers.
func (a *attempt) places() *semaphore.Weighted {
	switch n := &a.x.plan.nodes[a.node]; {
	case n.mode == modeContainer:
		return nil
	case n.computes:
		return a.x.processors()
	}
	return a.x.blocking()
}

// ready acquires what the call needs without waiting and reports whether it succeeded.
func (a *attempt) ready() bool {
	places := a.places()
	if places == nil {
		return true
	}
	if !places.TryAcquire(1) {
		return false
	}
	if a.slot != nil && !a.slot.TryAcquire() {
		places.Release(1)
		return false
	}
	return true
}

// queue waits for what the call needs and then calls the node.
func (a *attempt) queue(ctx context.Context) {
	err := a.places().Acquire(ctx, 1)
	if err == nil && a.slot != nil {
		if err = a.slot.Acquire(ctx); err != nil {
			a.places().Release(1)
		}
	}
	if err != nil {
		a.x.reports <- a
		return
	}
	if !a.x.control.onHandOff().mayBegin(a) {
		a.hold(ctx)
		return
	}
	a.begin(ctx, a.x.since())
	a.call() //nolint:contextcheck // the attempt is its own context
}

// begin makes the context of the call. The timeout starts now.
func (a *attempt) begin(ctx context.Context, now time.Duration) {
	x, n := a.x, &a.x.plan.nodes[a.node]
	if !a.resumed || n.mode != modeContainer { // a resumed container keeps its start time
		a.start = now
	}
	a.Context, a.cancel = context.WithCancelCause(ctx)
	a.called.Store(true)
	a.timeout = time.AfterFunc(x.computing.left(n, n.timeout-(now-a.start)), a.expire)
	if a.number == 1 && !a.resumed {
		x.events.nodeStarted(x, a.node)
	}
}

// Deadline implements [context.Context].
func (a *attempt) Deadline() (time.Time, bool) {
	own := a.x.began.Add(a.start + a.x.plan.nodes[a.node].timeout)
	if outer, ok := a.Context.Deadline(); ok && outer.Before(own) {
		return outer, true
	}
	return own, true
}

func (a *attempt) expire() {
	n := &a.x.plan.nodes[a.node]
	if a.x.computing.left(n, n.timeout) < n.timeout {
		a.cancel(errComputing)
	} else {
		a.cancel(errTimeout)
	}
	time.AfterFunc(a.x.grace(), a.abandon)
}

// call calls the node once and reports.
func (a *attempt) call() {
	n := &a.x.plan.nodes[a.node]
	out := make([]any, len(n.outputs))
	absent(out)
	var err error = errExit
	defer func() {
		if err != nil {
			err = a.expired(err)
		} else { // also after the timeout: the node says what happened to its action
			err = n.notDone(out, a.cause)
		}
		a.timeout.Stop()
		a.cancel(nil)
		a.finish(out, err)
	}()
	err = a.dispatch(a, out)
}

// expired returns the timeout error if the call has exceeded its time, else err.
func (a *attempt) expired(err error) error {
	switch cause := context.Cause(a); {
	case errors.Is(cause, errTimeout):
		return timeoutError(&a.x.plan.nodes[a.node])
	case errors.Is(cause, errComputing):
		return a.x.computing.exceeded()
	}
	return err
}

func timeoutError(n *planNode) error {
	return node.Errorf(node.CodeTimeout, "the node did not finish within %v; raise its timeoutMs or give it less to do", n.timeout)
}

func (a *attempt) finish(out []any, err error) {
	if !a.claimed.CompareAndSwap(false, true) {
		a.giveBack()
		a.leaveSlot()
		a.x.local.abandoned.Add(-1)
		return
	}
	a.out, a.err = out, err
	a.report()
}

// giveBack releases the memory that the call holds.
func (a *attempt) giveBack() { a.claim.giveBack(&a.x.memory) }

// abandon stops waiting for a call that ignores the end of its context.
func (a *attempt) abandon() {
	if !a.called.Load() || !a.claimed.CompareAndSwap(false, true) {
		return
	}
	a.x.local.abandoned.Add(1)
	a.abandoned = true
	a.err = a.expired(timeoutError(&a.x.plan.nodes[a.node]))
	if !a.silent {
		a.x.events.abandoned(a.x, a.node)
	}
	a.x.warn("the node ignores the end of its context and was abandoned", a.x.pathOf(a.node), "")
	a.report()
}

func (a *attempt) report() {
	a.leaveSlot()
	if places := a.places(); places != nil {
		places.Release(1)
	}
	a.x.reports <- a
}

// leaveSlot releases the CPU slot, if the call has one.
func (a *attempt) leaveSlot() {
	if a.slot != nil {
		a.slot.Release()
	}
}

// Progress implements [node.Run].
func (a *attempt) Progress(step, total int, message string) {
	if !a.claimed.Load() && !a.silent {
		a.x.events.progress(a.x, a.node, step, total, value.Shorten(a.x.scrub.Text(message), limit.Failure))
	}
}

// NotDone records why the action of the node did not happen; see [node.NotDone].
func (a *attempt) NotDone(err error) { a.cause = err }

// Conceal implements [node.Run].
func (a *attempt) Conceal(secret string) { a.x.scrub.Add(secret) }

// ConcealOutput implements [node.Run].
func (a *attempt) ConcealOutput(secret string) { a.x.scrub.AddOutput(secret) }

// Redact implements [node.Run].
func (a *attempt) Redact(text string) string { return a.x.scrub.Text(text) }

// Key implements [node.Run].
func (a *attempt) Key() string { return a.x.runID + "/" + a.x.place() + a.x.plan.nodes[a.node].id }

// Value implements [context.Context].
func (a *attempt) Value(key any) any {
	switch key {
	case node.HolderKey{}, node.EnderKey{}, node.RunKey{}:
		return a
	case node.StateContextKey{}:
		return a.x.state
	case attemptKey{}:
		return a
	}
	return a.Context.Value(key)
}

// attemptKey is the context key of the attempt that a context belongs to, even if the
// context is wrapped.
type attemptKey struct{}

// AtEnd implements [node.Ender].
func (a *attempt) AtEnd(f func(ctx context.Context, how node.Ending) error) { a.x.endings.add(f) }

// Hold implements [node.Holder]. A node that computes offers its CPU slot to others first.
func (a *attempt) Hold(bytes int) error {
	if a.slot != nil && bytes > 0 {
		if err := a.slot.Yield(a); err != nil {
			return err
		}
	}
	return a.claim.hold(a, &a.x.memory, bytes, &a.x.plan.nodes[a.node], a.slot)
}

// pauseBefore schedules the attempt after a.
func (x *execution) pauseBefore(ctx context.Context, a *attempt) {
	pause := drawPause(x.plan.nodes[a.node].retry.Pause(int(a.number)), node.RetryAfter(a.err))
	if !a.silent {
		x.events.retrying(x, a.node, pause, x.failure(a.err))
	}
	x.pause(ctx, &attempt{x: x, node: a.node, number: a.number + 1, in: a.in, silent: a.silent}, pause)
}

// pause schedules attempt a after a pause.
func (x *execution) pause(ctx context.Context, a *attempt, pause time.Duration) {
	x.running++
	x.nodes[a.node].live = a
	a.waiting = time.AfterFunc(pause, func() { a.x.reports <- a })
	if p := x.control.waits(); p != nil {
		p.wait(a, earliest(ctx, time.Now().Add(pause)))
	}
}

// drawPause draws a random pause, so that nodes that failed together do not retry together.
// The pause is between a quarter of step and step. If the other side asked for a delay, the
// pause is that delay plus up to a tenth.
func drawPause(step, asked time.Duration) time.Duration {
	least, spread := step/4, step-step/4
	if asked > 0 {
		least, spread = asked, asked/10
	}
	return least + time.Duration(rand.Int64N(int64(spread)+1))
}
