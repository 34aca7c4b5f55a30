package httpapi

import (
	"context"
	"io"
	"net/http"
	"sync"

	"github.com/svcflow/svc/httpapi/keys/ring"
)

// begin counts r for the budget of the caller's key, and from now on its body.
func (c *caller) begin(r *http.Request) error {
	if err := c.key.Begin(r.Context(), r.ContentLength); err != nil {
		return err
	}
	r.Body = &metered{r.Body, c.key}
	return nil
}

// metered is a body of which every byte counts for the budget of a key.
type metered struct {
	io.ReadCloser

	key *ring.Held
}

// Read implements io.Reader.
func (c *metered) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.key.Count(int64(n))
	return n, err
}

// placed is a handler whose run needs a place among those that the caller's key may have
// going on at once. A run that goes on behind the answer keeps it.
func (s *Service) placed(serve handler) handler {
	return func(a *answer, r *http.Request) error {
		if a.caller.key == nil {
			return serve(a, r)
		}
		place, err := a.caller.key.StartRun(r.Context())
		if err != nil {
			return err
		}
		defer func() { //nolint:contextcheck // the run outlives the request
			if a.started == "" || !s.keep(place, a.started) {
				place.Free()
			}
		}()
		return serve(a, r)
	}
}

// underWay are the places of runs that go on behind the answers to their starts.
type underWay struct {
	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

// keep leaves a place to a run, and gives it back when that has ended, unless others see to
// that. It is false if the service does not wait for runs any more, or the run has a place
// already.
func (s *Service) keep(place ring.Place, runID string) bool {
	if s.shared {
		return place.Name(runID)
	}
	s.underWay.mu.Lock()
	defer s.underWay.mu.Unlock()
	if s.underWay.closed || !place.Name(runID) {
		return false
	}
	s.underWay.all.Go(func() {
		defer place.Free()
		s.untilEnded(runID)
	})
	return true
}

// untilEnded waits for the last frame of a run, which comes at the latest when the app is
// closed.
func (s *Service) untilEnded(runID string) {
	ctx := context.Background()
	frames, err := s.app.Follow(ctx, runID, 0)
	for err == nil {
		_, err = frames.Next(ctx)
	}
}

// close waits for those that wait for runs. The app is closed by then.
func (k *underWay) close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.all.Wait()
}
