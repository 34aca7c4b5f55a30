package node

import (
	"context"
	"time"
)

// Run lets a node report to its run. The engine puts one into the context of every call except
// those of inline nodes.
type Run interface {
	// Progress reports step of total (0 = unknown) with a short message.
	Progress(step, total int, message string)
	// Conceal makes the run replace secret, in all its usual encodings, wherever
	// it would show up in outputs, errors, events and logs.
	Conceal(secret string)
	// ConcealOutput is Conceal for a text in the outputs of the node: it is redacted wherever it
	// is shown, but nodes that are wired to the output receive it.
	ConcealOutput(secret string)
	// Redact returns text with all secrets that were concealed so far replaced. Call it before
	// cutting a text that may contain secrets: half a secret is not recognized later.
	Redact(text string) string
	// Key identifies the node in its run: the run's id and the node's path. It is the same
	// for every attempt.
	Key() string
}

// RunKey is the key of the [Run] in the contexts of calls.
type RunKey struct{}

// WithRun returns a context that carries r to the node called with it.
func WithRun(ctx context.Context, r Run) context.Context {
	return context.WithValue(ctx, RunKey{}, r)
}

// Progress reports the progress of the node called with ctx: step of total, or of an
// unknown total if that is 0. Outside a run it does nothing.
func Progress(ctx context.Context, step, total int, message string) {
	if r := RunOf(ctx); r != nil {
		r.Progress(step, total, message)
	}
}

// Key returns the id of the run and the path of the node called with ctx. It is the same for every
// attempt, so a service can tell a second attempt from a second request. Outside a run, and for
// inline nodes, it is "".
func Key(ctx context.Context) string {
	if r := RunOf(ctx); r != nil {
		return r.Key()
	}
	return ""
}

// Conceal makes the run of ctx redact secret in outputs, errors, events and logs. Call it before
// using a secret. Outside a run it does nothing.
func Conceal(ctx context.Context, secret string) {
	if r := RunOf(ctx); r != nil {
		r.Conceal(secret)
	}
}

// ConcealOutput is [Conceal] for a secret in the outputs of the node called with ctx, such as a
// token: it is redacted wherever it is shown, but nodes that are wired to the output receive it.
func ConcealOutput(ctx context.Context, secret string) {
	if r := RunOf(ctx); r != nil {
		r.ConcealOutput(secret)
	}
}

// Redact returns text with the secrets that were concealed in the run of ctx replaced. Outside a
// run it returns text.
func Redact(ctx context.Context, text string) string {
	if r := RunOf(ctx); r != nil {
		return r.Redact(text)
	}
	return text
}

// NotDone reports why the action of the node called with ctx did not happen. If none of the
// node's Outcome outputs is in use, the node fails with err, and its retry setting applies;
// otherwise the outputs say so. Outside a run it does nothing.
func NotDone(ctx context.Context, err error) {
	if r, ok := RunOf(ctx).(interface{ NotDone(err error) }); ok {
		r.NotDone(err)
	}
}

// RunOf returns the run that ctx was made for by [WithRun], or nil.
func RunOf(ctx context.Context) Run {
	r, _ := ctx.Value(RunKey{}).(Run)
	return r
}

// Ending is how a run ends.
type Ending struct {
	Completed bool
	Code      string // why it did not complete: the code of its failure, or "cancelled"
}

// Ender registers functions for the end of a run; see [AtEnd].
type Ender interface {
	AtEnd(f func(ctx context.Context, how Ending) error)
}

// EnderKey is the key of the [Ender] in the contexts of calls.
type EnderKey struct{}

// AtEnd registers f to be called when the run of the node called with ctx has nothing left
// to do, before its end is reported. If f fails, the run fails with f's error. f must not
// wait for others; it is not called after a crash. Outside a run AtEnd does nothing and
// returns false.
func AtEnd(ctx context.Context, f func(ctx context.Context, how Ending) error) (ok bool) {
	e, ok := ctx.Value(EnderKey{}).(Ender)
	if ok {
		e.AtEnd(f)
	}
	return ok
}

// Waiter is implemented by runs that can be parked while everything left in them waits.
type Waiter interface {
	Run
	// Wait returns when d has passed since the attempt began, or with the error of ctx.
	Wait(ctx context.Context, d time.Duration) error
}

// Wait is for nodes that only wait. It returns when d has passed since the attempt began,
// or with the error of ctx. A run in which everything waits may be parked meanwhile; d
// still counts from the beginning of the attempt.
func Wait(ctx context.Context, d time.Duration) error {
	if w, ok := RunOf(ctx).(Waiter); ok {
		return w.Wait(ctx, d)
	}
	return Sleep(ctx, d)
}

// Sleep waits for d. If ctx ends first, it returns the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Holder counts the memory that a run holds.
type Holder interface {
	// Hold counts bytes more, or fewer if negative, as held by the called node. If that
	// exceeds the limit, it counts nothing and returns an error.
	Hold(bytes int) error
}

// HolderKey is the key of the [Holder] in the contexts of calls.
type HolderKey struct{}

// Hold reserves bytes of memory for the node called with ctx, in addition to its inputs,
// until the call ends. A negative number releases memory earlier. Call it before allocating
// something large. Its error has the code limit_exceeded and is permanent. Outside a run it
// does nothing.
func Hold(ctx context.Context, bytes int) error {
	if h, ok := ctx.Value(HolderKey{}).(Holder); ok && bytes != 0 {
		return h.Hold(bytes)
	}
	return nil
}

// Computer gives CPU slots to nodes that compute for long; see [Compute].
type Computer interface {
	// Compute waits for a CPU slot for the called node; done releases it.
	Compute(ctx context.Context) (done func(), err error)
}

// Compute waits for a CPU slot for the node called with ctx, shared with all runs; done
// releases it. It is for nodes that mostly wait for others and then process much data in
// memory without waiting. Pure nodes have a slot anyway. Outside a run it returns at once.
func Compute(ctx context.Context) (done func(), err error) {
	if c, ok := ctx.Value(HolderKey{}).(Computer); ok {
		return c.Compute(ctx)
	}
	return func() {}, nil
}

// Workers is implemented by runs in which several goroutines of one call may run bodies.
type Workers interface {
	Run
	// Worker returns the context with which a goroutine runs bodies, one after the other.
	// The goroutine must call done after the last one.
	Worker(ctx context.Context) (worker context.Context, done func())
}

// Worker is for goroutines of the node called with ctx that run bodies in parallel: each
// gets a CPU slot while it computes. The goroutine runs bodies with the returned context
// and calls done after the last one. Outside a run it returns ctx and a done that does
// nothing.
func Worker(ctx context.Context) (worker context.Context, done func()) {
	if w, ok := RunOf(ctx).(Workers); ok {
		return w.Worker(ctx)
	}
	return ctx, func() {}
}
