package node

import (
	"context"
	"time"
)

// Waiter is implemented by runs that can be given up while all that is left of them waits.
type Waiter interface {
	Run
	// Wait returns when d has passed since the attempt began, or with the error of ctx.
	Wait(ctx context.Context, d time.Duration) error
}

// Wait is for nodes that do nothing but wait: it returns when d has passed since the
// attempt has begun, at once if that is so already, or with the error of ctx. A run in which
// nothing else goes on may be put aside meanwhile; the time goes on then.
func Wait(ctx context.Context, d time.Duration) error {
	if w, ok := RunOf(ctx).(Waiter); ok {
		return w.Wait(ctx, d)
	}
	return Sleep(ctx, d)
}

// Sleep waits for d, or until ctx ends, with whose error it returns then.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
