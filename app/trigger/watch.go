package trigger

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/engine/node"
)

var errNotWatching = errors.New("the trigger has stopped to watch")

// well is after which time a source that had failed is taken to work again.
const well = 5 * time.Second

// watch waits for what happens, until ctx ends. A source that gives up is asked again, ever
// later if it does so soon.
func (s *Service) watch(ctx context.Context, t *armed, source *node.Watch) {
	wait, failed := askAgain, false
	for {
		began := s.Now()
		memory, last := s.remembered(t)
		var healed *time.Timer
		if failed {
			healed = time.AfterFunc(well, func() { s.trouble(t, nil) })
		}
		err := s.guarded(func() error {
			return source.Run(ctx, last, memory, func(firings []node.Firing, memory []byte) error { //nolint:contextcheck // what has happened is put down whoever leaves
				return s.tell(t, firings, memory)
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
		s.trouble(t, err)
		if s.Now().Sub(began) > longestPause {
			wait = askAgain
		}
		if !pause(ctx, max(wait, min(node.RetryAfter(err), lookTime))) {
			return
		}
		wait = min(2*wait, longestPause)
	}
}
