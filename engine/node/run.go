package node

import "context"

// Run is what a running node may tell its run. The engine puts one into the
// context of every call that has a goroutine of its own.
type Run interface {
	// Progress reports step of total (0 = unknown) with a short message.
	Progress(step, total int, message string)
	// Conceal makes the run replace secret, in all its usual encodings, wherever
	// it would show up in outputs, errors, events and logs.
	Conceal(secret string)
	// ConcealOutput is Conceal for a text that the node makes and puts out: it is shown nowhere,
	// and brought to the nodes that it is wired to.
	ConcealOutput(secret string)
	// Redact returns text with all that was concealed so far replaced. Whoever cuts a
	// text that may hold secrets does so first: half a secret is not found later.
	Redact(text string) string
	// Key names the node in its run: the run's id and the node's path. It is the
	// same for every attempt.
	Key() string
}

// RunKey is what the context of a call is asked for its [Run] with.
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

// Key returns what names the node called with ctx: the id of its run and its path, the
// same for every attempt, so that the other side can tell a second attempt from a second
// request. Outside a run, and for inline nodes, it is "".
func Key(ctx context.Context) string {
	if r := RunOf(ctx); r != nil {
		return r.Key()
	}
	return ""
}

// Conceal tells the run of the node called with ctx that secret must not show up
// in anything the run gives away. Whoever resolves a secret calls it before use.
// Outside a run it does nothing.
func Conceal(ctx context.Context, secret string) {
	if r := RunOf(ctx); r != nil {
		r.Conceal(secret)
	}
}

// ConcealOutput is [Conceal] for a secret that the node called with ctx puts out for others to
// use, such as a token: it is shown nowhere, and brought to the nodes that it is wired to.
func ConcealOutput(ctx context.Context, secret string) {
	if r := RunOf(ctx); r != nil {
		r.ConcealOutput(secret)
	}
}

// Redact returns text without what was concealed in the run of ctx; outside a run, as it
// is.
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
