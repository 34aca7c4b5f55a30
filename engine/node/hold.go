package node

import "context"

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
