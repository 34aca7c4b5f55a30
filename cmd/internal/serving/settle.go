package serving

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// settleAfter is how long a server has answered before it settles: who starts it and asks at
// once does not wait for that.
const settleAfter = 500 * time.Millisecond

// settle gives back, once, what only the start of a server needed: its garbage, for which a
// server that nobody asks anything would collect no more, and the pages of the program that
// all its parts began with. The returned function ends it.
func settle(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var settling sync.WaitGroup
	settling.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(settleAfter):
			debug.FreeOSMemory()
			leavePages()
		}
	})
	return func() {
		cancel()
		settling.Wait()
	}
}
