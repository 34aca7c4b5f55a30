package jsonnode

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/node"
)

// The limits of one query. Together they are enough for some seconds.
const (
	maxSteps  = 50_000_000
	maxMemory = 128 << 20  // bytes that it may hold besides its inputs
	maxCall   = 128 << 20  // bytes that a single function may take
	maxLook   = 20_000_000 // parts of values that a single function may look at

	stepBytes    = 32 // that a step takes, but for those that say themselves
	bytesPerStep = 256
	looksPerStep = 64
	weighEvery   = 16 << 20 // bytes that may be taken at least
	firstBytes   = 1 << 20  // bytes that may be taken before the run is asked
	stacksEvery  = 256      // steps: in fewer, stacks do not grow to twice their size twice
)

var (
	errFuel   = errors.New("too much work for one query; give it less data, or split it")
	errMemory = errors.New("too much memory for one query; give it less data, or split it")
)

// price is an upper bound of the cost of a call.
type price struct {
	bytes int // of memory
	looks int // parts of values, some nanoseconds each
}

// fuel is the context of one query. gojq asks a context before each of its steps
// whether it is done, and after a number of steps this one is. It is for one
// goroutine.
type fuel struct {
	context.Context
	done  <-chan struct{}
	empty chan struct{}
	err   error // why it is empty

	claim func(bytes int) error // asks whether the run may hold so many bytes more
	asked int                   // bytes that it was asked for

	steps int        // left
	free  int        // bytes that may be taken until what the query holds is weighed
	limit int        // of what it holds
	weigh func() int // bytes that it holds

	stacks func() int // bytes of its stacks, which is soon told
	due    int        // steps until they are looked at
}

func newFuel(ctx context.Context, steps, memory int) *fuel {
	f := &fuel{Context: ctx, done: ctx.Done(), empty: make(chan struct{}), steps: steps, free: min(memory, firstBytes), limit: memory}
	f.claim = func(bytes int) error { return node.Hold(ctx, bytes) }
	close(f.empty)
	return f
}

// Done implements context.Context.
func (f *fuel) Done() <-chan struct{} {
	f.steps--
	if f.due--; f.due < 0 {
		f.due = stacksEvery
		if f.stacks() > f.limit {
			_ = f.fail(errMemory) // which is f.err
			return f.empty
		}
	}
	if f.free -= stepBytes; f.steps < 0 || f.free < 0 {
		if f.refill(0) != nil {
			return f.empty
		}
	}
	return f.done
}

// Err implements context.Context.
func (f *fuel) Err() error {
	if err := f.Context.Err(); err != nil {
		return err
	}
	return f.err
}

// spend charges for a call before it is made. After an error the query ends, even if the
// filter catches it.
func (f *fuel) spend(p price) error {
	switch {
	case p.bytes > maxCall:
		return f.fail(errMemory)
	case p.looks > maxLook:
		return f.fail(errFuel)
	}
	f.steps -= p.looks/looksPerStep + p.bytes/bytesPerStep
	if f.free -= p.bytes; f.free < 0 {
		return f.refill(p.bytes)
	}
	return f.err
}

// refill measures the memory of the query, and lets it continue if it is within the limit.
func (f *fuel) refill(bytes int) error {
	if f.err != nil {
		return f.err
	}
	if f.steps < 0 {
		return f.fail(errFuel)
	}
	held := f.weigh()
	unseen := min(weighEvery, f.limit/8) // may be taken before it is weighed again
	left := f.limit - held - bytes - unseen
	if left < 0 {
		return f.fail(errMemory)
	}
	f.steps -= held / bytesPerStep // weighing takes its time, too
	f.free = min(left+unseen, max(held+bytes, firstBytes))
	return f.ask(held + bytes + f.free)
}

// ask reserves bytes of the run's memory for the query.
func (f *fuel) ask(bytes int) error {
	if bytes <= f.asked {
		return nil
	}
	if err := f.claim(bytes - f.asked); err != nil {
		return f.fail(err)
	}
	f.asked = bytes
	return nil
}

func (f *fuel) fail(err error) error {
	if f.err == nil {
		f.err = err
	}
	f.steps = -1
	return f.err
}
