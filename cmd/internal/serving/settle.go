package serving

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/svcflow/svc/httpapi"
)

// settleAfter is how long a server has answered before it settles: who starts it and asks at
// once does not wait for that.
const settleAfter = 500 * time.Millisecond

// settle gives back, once, what only the start of a server needed: its garbage, for which a
// server that nobody asks anything would collect no more, and the pages of the program that
// all its parts began with. From then on settled has the heap grow as it should. The returned
// function ends it.
func settle(ctx context.Context, service *httpapi.Service, settled func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var settling sync.WaitGroup
	settling.Go(func() {
		_ = service.Recover(ctx) // it has told of what it could not
		select {
		case <-ctx.Done():
		case <-time.After(settleAfter):
			debug.FreeOSMemory()
			leavePages()
			settled() // last: nodes may have changed it for a while, until something is collected
		}
	})
	return func() {
		cancel()
		settling.Wait()
	}
}
