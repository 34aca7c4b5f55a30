// Package latest does slow work for a view: one piece at a time, of which only the
// latest counts.
package latest

import (
	"context"

	"fyne.io/fyne/v2"
)

// Task is slow work that a view waits for without standing still. Its zero value is
// ready for use. It belongs to Fyne's goroutine.
type Task struct {
	cancel context.CancelFunc
	number int // of the piece that counts
	busy   bool
	closed bool
}

// Start gives up what is under way and calls work on a goroutine of its own, with a
// context that ends when the work is given up. Then it calls then on Fyne's goroutine
// with what came of it, unless the work has been given up.
func Start[T any](t *Task, work func(ctx context.Context) (T, error), then func(T, error)) {
	if t.closed {
		return
	}
	t.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel, t.busy = cancel, true
	number := t.number
	go func() {
		defer cancel()
		result, err := work(ctx)
		fyne.Do(func() {
			if t.number != number {
				return
			}
			t.busy = false
			then(result, err)
		})
	}()
}

// Busy reports whether work is under way.
func (t *Task) Busy() bool { return t.busy }

// Stop gives up what is under way.
func (t *Task) Stop() {
	t.number++
	t.busy = false
	if t.cancel != nil {
		t.cancel()
	}
}

// Close gives up what is under way, and makes Start do nothing from now on.
func (t *Task) Close() {
	t.Stop()
	t.closed = true
}
