package jsonnode

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/node"
)

// The limits of one query. Together they allow a few seconds of work.
const (
	maxSteps  = 50_000_000
	maxMemory = 128 << 20  // bytes that it may hold in addition to its inputs
	maxCall   = 128 << 20  // bytes that one function call may allocate
	maxLook   = 20_000_000 // parts of values that one function call may visit

	stepBytes    = 32 // memory of a step without a price
	bytesPerStep = 256
	looksPerStep = 64
	weighEvery   = 16 << 20 // upper bound of the bytes allocated between two measurements
	firstBytes   = 1 << 20  // bytes that may be allocated before memory of the run is reserved
	stacksEvery  = 256      // steps between two checks of the stacks; in between they cannot double twice
)

var (
	errFuel   = errors.New("too much work for one query; give it less data, or split it")
	errMemory = errors.New("too much memory for one query; give it less data, or split it")
)

// price is an upper bound of the cost of a call.
type price struct {
	bytes int // of memory
	looks int // visited parts of values, a few nanoseconds each
}

// fuel is the context of one query. gojq checks the context before each step, so fuel
// counts the steps in Done and cancels the query when a limit is reached. It is for one
// goroutine.
type fuel struct {
	context.Context
	done  <-chan struct{}
	empty chan struct{}
	err   error // why the query was ended

	claim func(bytes int) error // reserves memory of the run
	asked int                   // reserved bytes

	steps int        // steps left
	free  int        // bytes that may be allocated until the next measurement
	limit int        // of the bytes that the query holds
	weigh func() int // measures the bytes that the query holds

	stacks func() int // size of the stacks in bytes; cheap to compute
	due    int        // steps until the next check of the stacks
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
			_ = f.fail(errMemory) // it returns f.err, which Err returns
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

// spend charges the price of a call before the call is made. After an error the query ends,
// even if the filter catches the error.
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

// refill measures the memory of the query. If it is within the limit, the query may
// continue.
func (f *fuel) refill(bytes int) error {
	if f.err != nil {
		return f.err
	}
	if f.steps < 0 {
		return f.fail(errFuel)
	}
	held := f.weigh()
	unseen := min(weighEvery, f.limit/8) // may be allocated before the next measurement
	left := f.limit - held - bytes - unseen
	if left < 0 {
		return f.fail(errMemory)
	}
	f.steps -= held / bytesPerStep // measuring takes time, too
	f.free = min(left+unseen, max(held+bytes, firstBytes))
	return f.ask(held + bytes + f.free)
}

// ask reserves memory of the run, up to bytes in total.
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
