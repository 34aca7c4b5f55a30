package httpapi

import (
	"context"
	"io"
	"math"
	"net/http"
	"sync"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
)

// listKeys answers GET /keys.
func (s *Service) listKeys(a *answer, r *http.Request) error {
	list, err := s.ring.List(r.Context())
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, list)
}

// makeKey answers POST /keys. It is the only answer that contains the secret.
func (s *Service) makeKey(a *answer, r *http.Request) error {
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	q, err := decodeKey(text)
	if err != nil {
		return err
	}
	a.subject = q.Name
	made, err := s.ring.Make(r.Context(), q)
	if err != nil {
		return err
	}
	a.Header().Set("Location", s.location("keys", q.Name))
	return a.json(http.StatusCreated, made)
}

// revokeKey answers DELETE /keys/{name}. An unknown name is an error, so that a typo is not
// mistaken for a revoked key.
func (s *Service) revokeKey(a *answer, r *http.Request) error {
	if err := s.ring.Revoke(r.Context(), a.wildcards[0]); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// decodeKey reads {"name":"ci","scopes":["read","run"],"budget":{"runs":2}}.
func decodeKey(text []byte) (q keys.Request, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		err := r.Object(2, []string{"name", "scopes", "workflows", "budget"}, func(field string) (err error) {
			switch field {
			case "name":
				q.Name, err = r.Text()
			case "scopes":
				err = r.List(func() error {
					scope, err := r.Text()
					q.Scopes = append(q.Scopes, keys.Scope(scope))
					return err
				})
			case "workflows":
				err = r.List(func() error {
					pattern, err := r.Text()
					q.Workflows = append(q.Workflows, pattern)
					return err
				})
			case "budget":
				err = decodeBudget(r, &q.Budget)
			}
			return err
		})
		if wrong := q.Check(); err == nil && wrong != nil {
			return r.Errorf("%s", wrong)
		}
		return err
	})
	return q, err
}

func decodeBudget(r *value.Reader, b *keys.Budget) error {
	return r.Object(0, []string{"runs", "requestsPerMinute", "bytesPerDay"}, func(field string) (err error) {
		switch field {
		case "runs":
			b.Runs, err = r.Int(0, math.MaxInt32)
		case "requestsPerMinute":
			b.RequestsPerMinute, err = r.Int(0, math.MaxInt32)
		case "bytesPerDay":
			var n int
			n, err = r.Int(0, math.MaxInt)
			b.BytesPerDay = int64(n)
		}
		return err
	})
}

// begin counts r, and then its body, for the budget of the caller's key.
func (c *caller) begin(r *http.Request) error {
	if err := c.key.Begin(r.Context(), r.ContentLength); err != nil {
		return err
	}
	r.Body = &metered{r.Body, c.key}
	return nil
}

// metered is a body that counts for the budget of a key.
type metered struct {
	io.ReadCloser

	key *ring.Held
}

// Read implements [io.Reader].
func (c *metered) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.key.Count(int64(n))
	return n, err
}

// withRunSlot is a handler whose run needs one of the run slots of the caller's key. A run that
// continues after the answer keeps its slot.
func (s *Service) withRunSlot(serve handler) handler {
	return func(a *answer, r *http.Request) error {
		if a.caller.key == nil {
			return serve(a, r)
		}
		slot, err := a.caller.key.StartRun(r.Context())
		if err != nil {
			return err
		}
		defer func() { //nolint:contextcheck // the run outlives the request
			if a.started == "" || !s.keep(slot, a.started) {
				slot.Free()
			}
		}()
		return serve(a, r)
	}
}

// underWay holds the run slots of runs that continue after the answer to their start.
type underWay struct {
	mu     sync.Mutex
	closed bool
	all    sync.WaitGroup
}

// keep gives a slot to a run, and frees it after the end of the run unless another process does. It
// returns false if the service is closing, or if the run has a slot already.
func (s *Service) keep(slot ring.RunSlot, runID string) bool {
	if s.shared {
		return slot.Name(runID)
	}
	s.underWay.mu.Lock()
	defer s.underWay.mu.Unlock()
	if s.underWay.closed || !slot.Name(runID) {
		return false
	}
	s.underWay.all.Go(func() {
		defer slot.Free()
		s.untilEnded(runID)
	})
	return true
}

// untilEnded waits for the last frame of a run. It arrives at the latest when the app is closed.
func (s *Service) untilEnded(runID string) {
	ctx := context.Background()
	frames, err := s.app.Follow(ctx, runID, 0)
	for err == nil {
		_, err = frames.Next(ctx)
	}
}

// close waits for the goroutines of keep. Close the app before.
func (k *underWay) close() {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.all.Wait()
}
