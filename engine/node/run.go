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
	// Key names the node in its run: the run's id and the node's path. It is the
	// same for every attempt.
	Key() string
}

// RunKey is the key of the [Run] in the contexts of calls.
type RunKey struct{}

// WithRun returns a context that carries r to the node called with it.
func WithRun(ctx context.Context, r Run) context.Context {
	return context.WithValue(ctx, RunKey{}, r)
}

// Progress reports how far the node called with ctx has come: step of total, or
// of an unknown total if that is 0. Outside a run it does nothing.
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

// RunOf returns the run that ctx was made for by [WithRun], or nil.
func RunOf(ctx context.Context) Run {
	r, _ := ctx.Value(RunKey{}).(Run)
	return r
}

// Ending is how a run ends.
type Ending struct {
	Completed bool
	Code      string // why it did not complete: that of its failure, or "cancelled"
}

// Ender does what nodes want done when their run ends.
type Ender interface {
	AtEnd(f func(ctx context.Context, how Ending) error)
}

// EnderKey is what the context of a call is asked for its [Ender] with.
type EnderKey struct{}

// AtEnd has f called once the run of the node called with ctx has nothing left to do, before
// anybody is told that it has ended. A run in which f fails does not complete, but fails with
// f's error. f does not wait for others; after a crash nobody calls it. Outside a run AtEnd
// does nothing, and ok is false.
func AtEnd(ctx context.Context, f func(ctx context.Context, how Ending) error) (ok bool) {
	e, ok := ctx.Value(EnderKey{}).(Ender)
	if ok {
		e.AtEnd(f)
	}
	return ok
}

// Waiter is implemented by runs that can be given up while all that is left of them waits.
type Waiter interface {
	Run
	// Wait returns when d has passed since the attempt began, or with the error of ctx.
	Wait(ctx context.Context, d time.Duration) error
}

// Wait is for nodes that do nothing but wait: it returns when d has passed since the
// attempt has begun, at once if that is so already, or with the error of ctx. A run in which
// nothing else goes on may be put aside meanwhile; the time goes on then.
func Wait(ctx context.Context, d time.Duration) error {
	if w, ok := RunOf(ctx).(Waiter); ok {
		return w.Wait(ctx, d)
	}
	return Sleep(ctx, d)
}

// Sleep waits for d, or until ctx ends, with whose error it returns then.
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
	// Hold counts bytes more, or fewer, as held by the node that is being called. Its
	// error says that the run may not have so much; then nothing is counted.
	Hold(bytes int) error
}

// HolderKey is what the context of a call is asked for its [Holder] with.
type HolderKey struct{}

// Hold asks whether the node called with ctx may hold so many bytes more, besides its
// inputs, and counts them until the call ends, or until they are given back with a
// negative number. A node asks before it makes something large. Its error is
// limit_exceeded, and permanent. Outside a run it does nothing.
func Hold(ctx context.Context, bytes int) error {
	if h, ok := ctx.Value(HolderKey{}).(Holder); ok && bytes != 0 {
		return h.Hold(bytes)
	}
	return nil
}

// Computer has the turns of those who compute for long.
type Computer interface {
	// Compute waits for the turn of the node that is being called; done ends it.
	Compute(ctx context.Context) (done func(), err error)
}

// Compute waits until it is the turn of the node called with ctx among all that compute for
// long, in all runs together; done ends its turn. It is for nodes that mostly wait for others
// and now have much in memory to work on, without waiting for anything; those that are pure
// take turns anyway. Outside a run there is nothing to wait for.
func Compute(ctx context.Context) (done func(), err error) {
	if c, ok := ctx.Value(HolderKey{}).(Computer); ok {
		return c.Compute(ctx)
	}
	return func() {}, nil
}

// Workers is implemented by runs in which several goroutines of one call may run bodies.
type Workers interface {
	Run
	// Worker returns the context with which one goroutine runs bodies, one after the other.
	// It calls done when it runs no more.
	Worker(ctx context.Context) (worker context.Context, done func())
}

// Worker is for a goroutine of the node called with ctx that runs bodies, as others of the
// same call do: each of them computes when it is its turn. It runs them with the context
// that comes back, and calls done when it is done with all. Outside a run these are ctx and
// nothing.
func Worker(ctx context.Context) (worker context.Context, done func()) {
	if w, ok := RunOf(ctx).(Workers); ok {
		return w.Worker(ctx)
	}
	return ctx, func() {}
}
