package node

import "context"

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
