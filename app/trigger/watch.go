package trigger

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/engine/node"
)

var errNotWatching = errors.New("the trigger has stopped watching")

// healthyAfter is how long a source must run after a failure to count as working.
const healthyAfter = 5 * time.Second

// watch runs a source until ctx ends. A source that returns early is run again, after a pause
// that grows while it keeps failing.
func (s *Service) watch(ctx context.Context, t *armed, source *node.Watch) {
	wait, failed := retryAfter, false
	for {
		began := s.Now()
		memory, last := s.remembered(t)
		var healed *time.Timer
		if failed {
			healed = time.AfterFunc(healthyAfter, func() { s.showError(t, nil) })
		}
		err := s.callSafely(func() error {
			return source.Run(ctx, last, memory, func(firings []node.Firing, memory []byte) error { //nolint:contextcheck // a firing is enqueued even if the source stops
				return s.deliver(t, firings, memory)
			})
		})
		if healed != nil {
			healed.Stop()
		}
		if disarmed(ctx, err) {
			return
		}
		if failed = true; err == nil {
			err = errNotWatching
		}
		s.showError(t, err)
		if s.Now().Sub(began) > longestPause {
			wait = retryAfter
		}
		if !pause(ctx, max(wait, min(node.RetryAfter(err), pollTimeout))) {
			return
		}
		wait = min(2*wait, longestPause)
	}
}
