package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// ErrHandedOff is the cause with which a host ends the context of a run that another driver is to
// continue. The run then emits no more events and calls no AtEnd functions, and Run returns
// ErrHandedOff.
var ErrHandedOff = errors.New("the run was left, for somebody to go on with")

// hostControl is the state of a run that resumes, or whose host may park it, hand it off or
// route its calls elsewhere. It is nil for other runs.
type hostControl struct {
	recorded func(path string) (Recorded, bool)
	call     func(ctx context.Context, c *Call) error
	parking  *parking
	handOff  *handOff
	ctx      context.Context //nolint:containedctx // of the run
}

// goOn applies the options for resuming, parking, handing off and routing calls. The
// returned context ends when the run is parked or handed off. Callers must call stop when
// the run has ended.
func (j *job) goOn(ctx context.Context, o *Options) (until context.Context, stop func()) {
	if o.Recorded == nil && o.Call == nil && o.Park <= 0 && o.Leave == nil {
		return ctx, func() {}
	}
	g := &hostControl{recorded: o.Recorded, call: o.Call, ctx: ctx}
	j.control = g
	if o.Park <= 0 && o.Leave == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	g.ctx = ctx
	if o.Park > 0 {
		g.parking = newParking(o.Park, cancel)
	}
	if o.Leave != nil {
		g.handOff = newHandOff(o.Leave, cancel)
	}
	return ctx, func() {
		g.parking.close()
		g.handOff.close()
		cancel(nil)
	}
}

// yieldCause returns why this process gave up a run that has not ended: a *Parked or ErrHandedOff.
// It is nil as long as the run belongs to this process.
func yieldCause(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*Parked](cause); ok || errors.Is(cause, ErrHandedOff) {
		return cause
	}
	return nil
}

// begin sets the start time of the run: first, if it resumes, else now. After that the
// monotonic clock counts. If first is in the future, because the clock of the earlier
// process was ahead, the elapsed time starts at 0.
func (j *job) begin(first time.Time) {
	now := time.Now()
	if first.IsZero() {
		first = now
	}
	j.shown, j.began = first.UTC().Round(0), now.Add(-max(0, now.Sub(first)))
}

func later(t, u time.Time) time.Time {
	if t.Before(u) {
		return u
	}
	return t
}

// recall is the record of the nodes of an execution from before its run was interrupted. It
// belongs to the goroutine of the execution.
type recall struct {
	ask   func(path string) (Recorded, bool)
	nodes map[int32]*Recorded // looked up so far; nil if nothing is recorded
}

// newRecall returns the recall of an execution; nil if the run does not resume.
func (g *hostControl) newRecall() *recall {
	if g == nil || g.recorded == nil {
		return nil
	}
	return &recall{ask: g.recorded, nodes: map[int32]*Recorded{}}
}

// recallInside returns the recall for the body of a. It is nil unless a was running when
// the run was interrupted.
func (a *attempt) recallInside() *recall {
	if !a.resumed {
		return nil
	}
	return a.x.control.newRecall()
}

// recalled returns the record of node i, or nil.
func (x *execution) recalled(i int32) *Recorded {
	if x.recall == nil {
		return nil
	}
	n, asked := x.recall.nodes[i]
	if !asked {
		if r, ok := x.recall.ask(x.pathOf(i)); ok {
			n = &r
		}
		x.recall.nodes[i] = n
	}
	return n
}

// takeRecorded ends step i with its recorded end, if it has one, and reports whether it did. The
// recorded outputs must fit the ports. A node whose outputs were redacted is called again, unless
// a second call might repeat a side effect.
func (x *execution) takeRecorded(i int32) bool {
	r := x.recalled(i)
	if r == nil {
		return false
	}
	n := &x.plan.nodes[i]
	switch {
	case r.Status == StatusRunning && r.Due.IsZero() && !r.Elsewhere && n.repeatsOnlyOnce() && !x.cancelled:
		x.done(i, outcomeUnknown())
	case r.Status == StatusFailed && r.Error != nil:
		x.done(i, &node.Error{Code: r.Error.Code, Message: r.Error.Message, Permanent: r.Permanent})
	case r.Status != StatusSucceeded, r.Redacted && !n.repeatsOnlyOnce() && !x.cancelled:
		return false
	default:
		out, ok := x.fitting(i, r.Outputs)
		if !ok {
			x.recall.nodes[i] = nil // its next end is a new one, not the recorded one
			return false
		}
		copy(x.values[x.plan.graph.outLo[i]:], out)
		x.nodes[i].redacted = r.Redacted
		x.done(i, nil)
	}
	return true
}

// cutShort ends step i of a cancelled execution. A step that never started ends in settleRest.
func (x *execution) cutShort(i int32) {
	r, state := x.recalled(i), &x.nodes[i]
	switch {
	case r == nil:
	case r.Due.IsZero():
		state.attempts = int32(r.Attempts)
	default:
		state.attempts = int32(r.Attempts) - 1
	}
	if state.attempts == 0 {
		state.status = StatusPending
		return
	}
	state.start = r.StartedAt.Sub(x.shown)
	x.now = x.since()
	x.end(i, context.Canceled)
}

// repeatsOnlyOnce reports whether a second call of the node might repeat a side effect, and the
// workflow does not allow retries.
func (n *planNode) repeatsOnlyOnce() bool { return n.once && n.retry == nil }

// restore gives node i, which has ended, the recorded times of its end. It reports whether the
// event of that end was emitted before the interruption.
func (x *execution) restore(i int32) bool {
	r, state := x.recalled(i), &x.nodes[i]
	if r == nil || r.Status != state.status {
		return false
	}
	state.took, state.attempts, state.warnings = r.Duration, int32(r.Attempts), int32(r.Warnings)
	if r.Attempts > 0 {
		state.start = r.StartedAt.Sub(x.shown)
	}
	return true
}

// endedBefore reports whether node i is recorded to have ended before node k.
func (x *execution) endedBefore(i, k int32) bool {
	first, second := x.endOf(i), x.endOf(k)
	return first != nil && (second == nil || first.Seq < second.Seq)
}

// putInOrder sorts the nodes by the order of their end events: recorded ones first.
func (x *execution) putInOrder() {
	if x.recall == nil {
		return
	}
	slices.SortStableFunc(x.order, func(i, k int32) int {
		switch a, b := x.endOf(i), x.endOf(k); {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return 1
		case b == nil:
			return -1
		default:
			return cmp.Compare(a.Seq, b.Seq)
		}
	})
}

// endOf returns the record of node i if it has the same end status, or nil.
func (x *execution) endOf(i int32) *Recorded {
	if r := x.recalled(i); r != nil && r.Status == x.nodes[i].status {
		return r
	}
	return nil
}

// goOnWith turns a into the attempt that was running or due when the run was interrupted,
// if there was one. It returns true if no call is needed now.
func (x *execution) goOnWith(ctx context.Context, a *attempt) bool {
	r := x.recalled(a.node)
	if r == nil || r.Attempts == 0 {
		return false
	}
	a.number, a.resumed, a.silent = int32(r.Attempts), true, r.Status != StatusRunning
	a.start = r.since().Sub(x.shown)
	state := &x.nodes[a.node]
	if !x.plan.nodes[a.node].computes { // CPU time counts from the new call
		state.start = r.StartedAt.Sub(x.shown)
	}
	switch {
	case r.Status == StatusCancelled:
		x.running++
		state.live = a
		go a.awaitCancel(ctx)
		return true
	case r.Due.IsZero():
		return false
	}
	state.attempts = a.number - 1
	x.pause(ctx, a, max(0, time.Until(r.Due)))
	return true
}

// awaitCancel replaces the call of a node that had been cancelled: it waits until the node is
// cancelled again or its timeout passes.
func (a *attempt) awaitCancel(ctx context.Context) {
	n := &a.x.plan.nodes[a.node]
	timer := time.NewTimer(n.timeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		a.err = ctx.Err()
	case <-timer.C:
		a.err = timeoutError(n)
	}
	a.claimed.Store(true)
	a.called.Store(true)
	a.x.reports <- a
}

// Recorded is the record of a node from before its run was interrupted.
type Recorded struct {
	NodeResult

	// Seq is the number of the last event of the node. Nodes end in the order of Seq.
	Seq int
	// Permanent means that a further attempt would fail as well.
	Permanent bool
	// Elsewhere means that the attempt is still running in another process. A new call
	// there attaches to it.
	Elsewhere bool
	// Due is when the next attempt begins; zero if none is pending.
	Due time.Time
}

// since returns when the running attempt began, or the next one is due.
func (r *Recorded) since() time.Time {
	if r.Due.After(r.StartedAt) {
		return r.Due
	}
	return r.StartedAt
}

// Recall collects the state that [Options] needs to resume an interrupted run from its
// events. Call Apply with all events in order; after that, Recorded is safe for concurrent
// use. The zero value is ready for use.
type Recall struct {
	// Began is when the run began; zero before the first event.
	Began time.Time
	// Told is the time of the last event.
	Told time.Time

	nodes  map[string]Recorded
	inside map[string]bool // containers with recorded nodes inside
}

// Apply records the next event.
func (r *Recall) Apply(e *Event) {
	r.Told = later(r.Told, e.Time)
	switch {
	case e.NodeID == "":
		if e.Name == EventStarted && r.Began.IsZero() {
			r.Began = e.Time
		}
		return
	case r.nodes == nil:
		r.nodes, r.inside = map[string]Recorded{}, map[string]bool{}
	}
	n := r.nodes[e.NodeID]
	switch {
	case e.Name == EventStarted:
		n = Recorded{NodeResult: NodeResult{Status: StatusRunning, StartedAt: e.Time, Attempts: 1}}
	case e.Name == EventNode:
		n = Recorded{Permanent: e.Permanent, NodeResult: NodeResult{
			Status: e.Status, Outputs: e.Outputs, Error: e.Error, Handled: e.Handled, Redacted: e.Redacted, Warnings: e.Warnings,
			SkippedBecause: e.SkippedBecause, StartedAt: e.Time.Add(-e.Duration), Duration: e.Duration, Attempts: e.Attempts,
		}}
	case e.Error != nil: // a retry is pending
		n.Attempts, n.Due = n.Attempts+1, e.Time.Add(e.RetryIn)
		r.forgetInside(e.NodeID)
	default:
		return
	}
	n.Seq = e.Seq
	r.nodes[e.NodeID] = n
	if around, ok := containerOf(e.NodeID); ok {
		r.inside[around] = true
	}
}

// Recorded implements [Options.Recorded].
func (r *Recall) Recorded(path string) (Recorded, bool) {
	n, ok := r.nodes[path]
	return n, ok
}

// UnderWay returns how many nodes were being called. It leaves out containers with recorded
// nodes inside, and nodes for which elsewhere, if set, reports that the call continues in
// another process.
func (r *Recall) UnderWay(elsewhere func(path string) bool) (n int) {
	for path, known := range r.nodes {
		called := known.Status == StatusRunning && known.Due.IsZero() && !r.inside[path]
		if called && (elsewhere == nil || !elsewhere(path)) {
			n++
		}
	}
	return n
}

// forgetInside drops the records of nodes inside a container, because the next attempt at
// it calls them again.
func (r *Recall) forgetInside(path string) {
	if !r.inside[path] {
		return
	}
	for p := range r.nodes {
		if strings.HasPrefix(p, path+"/") {
			delete(r.nodes, p)
		}
	}
}

// containerOf returns the path of the container of the node at path: for "loop/3/fmt" it is
// "loop". The result is false outside containers.
func containerOf(path string) (string, bool) {
	id := strings.LastIndexByte(path, '/')
	if id < 0 {
		return "", false
	}
	step := strings.LastIndexByte(path[:id], '/')
	return path[:max(step, 0)], step >= 0
}

// takeOver ends node i with its outputs from an earlier run and reports whether it did. The
// outputs must exist and still fit the ports. Media that is not made yet fits only where
// the node would emit it now, too. The node is not called.
func (x *execution) takeOver(i int32) bool {
	recorded, ok := x.reuse(x.pathOf(i))
	if !ok {
		return false
	}
	out, ok := x.fitting(i, recorded)
	if !ok {
		return false
	}
	if x.plan.nodes[i].notDone(out, nil) != nil {
		return false
	}
	copy(x.values[x.plan.graph.outLo[i]:], out)
	x.nodes[i].reused = true
	x.now = x.since()
	x.end(i, nil)
	return true
}

// fitting converts recorded outputs of node i to its ports. ok is false if they no longer
// fit.
func (x *execution) fitting(i int32, recorded map[string]any) (out []any, ok bool) {
	n, lo := &x.plan.nodes[i], x.plan.graph.outLo[i]
	out = make([]any, len(n.outputs))
	absent(out)
	for k := range n.outputs {
		v, emitted := recorded[n.outputs[k].Name]
		if !emitted {
			continue
		}
		v, err := n.outputs[k].Accept(v)
		if err != nil || value.Deferred(v) && !x.plan.takesDeferred(lo+int32(k)) {
			return nil, false
		}
		out[k] = v
	}
	return out, true
}

// outcomeUnknown returns the failure of a node whose earlier call may have had its side
// effect.
func outcomeUnknown() error {
	return node.Permanent(node.Errorf(node.CodeOutcomeUnknown,
		"it was under way when its run was interrupted, and nobody knows whether it was done; see whether it was, and resume again to have it called once more"))
}
