package node

import "context"

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
