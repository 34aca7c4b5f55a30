package trigger

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// pollTimeout bounds one poll.
const pollTimeout = 10 * time.Minute

// poll polls a source at its times until ctx ends.
func (s *Service) poll(ctx context.Context, t *armed, source *node.Poll) {
	memory, last := s.remembered(t)
	if memory == nil {
		last = time.Time{} // it was never polled
	}
	var asked time.Time // Retry-After of the server: not before
	for s.untilDue(ctx, t, source, &last, asked) {
		last = s.Now()
		var found []node.Firing
		var next []byte
		err := s.pollOnce(ctx, func(ctx context.Context) (err error) {
			found, next, err = source.Look(ctx, memory)
			return err
		})
		if ctx.Err() != nil {
			return
		}
		s.showError(t, err)
		if err != nil {
			asked = s.Now().Add(node.RetryAfter(err))
			continue
		}
		if !s.deliverUntilTaken(ctx, t, found, next, bytes.Equal(next, memory)) {
			return
		}
		memory = next
		s.recordPoll(t, last)
	}
}

// pollOnce calls f once a poll slot is free.
func (s *Service) pollOnce(ctx context.Context, f func(ctx context.Context) error) error {
	if err := s.pollSlots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.pollSlots.Release(1)
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	return s.callSafely(func() error { return f(ctx) })
}

// deliverUntilTaken enqueues the firings of a poll. While the queue is full it retries, and the
// source is not polled. It reports false if the source has to stop.
func (s *Service) deliverUntilTaken(ctx context.Context, t *armed, found []node.Firing, next []byte, known bool) bool {
	if len(found) == 0 && known {
		return true
	}
	for wait := retryAfter; ; wait = min(2*wait, longestPause) {
		err := s.deliver(t, found, next) //nolint:contextcheck // a firing is enqueued even if the source stops
		switch {
		case err == nil:
			s.showError(t, nil)
			return true
		case disarmed(ctx, err):
			return false
		case errors.Is(err, ErrChain):
			found = nil // refused for good; users see the error
		case errors.Is(err, errNotSaved):
			found = nil // they are enqueued; only the memory is not saved
		}
		if !pause(ctx, wait) {
			return false
		}
	}
}

// recordPoll saves the time of a poll.
func (s *Service) recordPoll(t *armed, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.current(t); now != nil {
		m := now.memory.clone()
		m.Last = at
		s.rememberLazily(now, m)
	}
}

// untilDue waits for the time of the next poll. It reports false if ctx ends first. A clock that
// is set back delays nothing.
func (s *Service) untilDue(ctx context.Context, t *armed, source *node.Poll, last *time.Time, asked time.Time) bool {
	for {
		now := s.Now()
		if last.After(now) {
			*last = now
		}
		due := now
		if !last.IsZero() {
			due = last.Add(source.Every)
			if source.Next != nil {
				due = source.Next(*last)
			}
		}
		if due.IsZero() { // it is never polled again
			<-ctx.Done()
			return false
		}
		if asked.After(due) && asked.Sub(now) < pollTimeout {
			due = asked
		}
		s.mu.Lock()
		t.next = due
		s.mu.Unlock()
		if wait := due.Sub(now); wait <= 0 {
			return ctx.Err() == nil
		} else if !pause(ctx, min(wait, clockEvery)) {
			return false
		}
	}
}
