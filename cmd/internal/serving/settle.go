package serving

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"github.com/svcflow/svc/httpapi"
)

// settleAfter is how long a server has answered before it settles, so that requests just after
// the start do not wait for that.
const settleAfter = 500 * time.Millisecond

// settle returns, once, the memory that only the start of a server needed: its garbage, which an
// idle server would never collect, and pages of the executable that only initialization used.
// Then it calls settled, which sets GOGC. The returned function ends it.
func settle(ctx context.Context, service *httpapi.Service, settled func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var settling sync.WaitGroup
	settling.Go(func() {
		_ = service.Recover(ctx) // Recover has logged its errors
		select {
		case <-ctx.Done():
		case <-time.After(settleAfter):
			debug.FreeOSMemory()
			leavePages()
			settled() // last, because nodes may change GOGC until a collection
		}
	})
	return func() {
		cancel()
		settling.Wait()
	}
}
