package trigger

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/node"
)

var errNotWatching = errors.New("the trigger has stopped to watch")

// watch waits for what happens, until ctx ends. A source that gives up is asked again, ever
// later if it does so soon.
func (s *Service) watch(ctx context.Context, t *armed, source *node.Watch) {
	wait := askAgain
	for {
		began := s.Now()
		memory, _ := s.remembered(t)
		err := s.guarded(func() error {
			return source.Run(ctx, memory, func(firings []node.Firing, memory []byte) error {
				err := s.tell(t, firings, memory)
				if err == nil {
					s.trouble(t, nil)
				}
				return err
			})
		})
		if disarmed(ctx, err) {
			return
		}
		if err == nil {
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
