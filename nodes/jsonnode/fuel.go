package jsonnode

import (
	"context"
	"errors"
)

// maxSteps bounds the work of one query; it is enough for some seconds.
const maxSteps = 50_000_000

var errFuel = errors.New("too much work for one query; give it less data, or split it")

// fuel is the context of one query. gojq asks a context before each of its steps
// whether it is done, and after a number of steps this one is. It is for one
// goroutine.
type fuel struct {
	context.Context
	done  <-chan struct{}
	left  int
	empty chan struct{}
}

func newFuel(ctx context.Context, steps int) *fuel {
	f := &fuel{Context: ctx, done: ctx.Done(), left: steps, empty: make(chan struct{})}
	close(f.empty)
	return f
}

// Done implements context.Context.
func (f *fuel) Done() <-chan struct{} {
	if f.left <= 0 {
		return f.empty
	}
	f.left--
	return f.done
}

// Err implements context.Context.
func (f *fuel) Err() error {
	if err := f.Context.Err(); err != nil {
		return err
	}
	if f.left <= 0 {
		return errFuel
	}
	return nil
}
