package node

import "context"

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
