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
