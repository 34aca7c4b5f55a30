package trigger

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// lookTime is how long a look may take.
const lookTime = 10 * time.Minute

// poll looks from time to time whether something has happened, until ctx ends.
func (s *Service) poll(ctx context.Context, t *armed, source *node.Poll) {
	memory, last := s.remembered(t)
	if memory == nil {
		last = time.Time{} // it has never looked
	}
	var asked time.Time // before which the other side wants no other look
	for s.untilDue(ctx, t, source, &last, asked) {
		last = s.Now()
		var found []node.Firing
		var next []byte
		err := s.look(ctx, func(ctx context.Context) (err error) {
			found, next, err = source.Look(ctx, memory)
			return err
		})
		if ctx.Err() != nil {
			return
		}
		s.trouble(t, err)
		if err != nil {
			asked = s.Now().Add(node.RetryAfter(err))
			continue
		}
		if !s.keepTelling(ctx, t, found, next, bytes.Equal(next, memory)) {
			return
		}
		memory = next
		s.looked(t, last)
	}
}

// look calls f, when few others look.
func (s *Service) look(ctx context.Context, f func(ctx context.Context) error) error {
	if err := s.looking.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.looking.Release(1)
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return s.guarded(func() error { return f(ctx) })
}

// keepTelling has what a look has found put down. As long as there is no room for that, nobody
// looks. It reports whether somebody still wants to know.
func (s *Service) keepTelling(ctx context.Context, t *armed, found []node.Firing, next []byte, known bool) bool {
	if len(found) == 0 && known {
		return true
	}
	for wait := askAgain; ; wait = min(2*wait, longestPause) {
		err := s.tell(t, found, next) //nolint:contextcheck // what has happened is put down whoever leaves
		switch {
		case err == nil:
			s.trouble(t, nil)
			return true
		case disarmed(ctx, err):
			return false
		case errors.Is(err, ErrChain):
			found = nil // they come to nothing, and that is shown
		case errors.Is(err, errNotKept):
			found = nil // they are put down, and the memory is not
		}
		if !pause(ctx, wait) {
			return false
		}
	}
}

// looked has a trigger remember when it looked.
func (s *Service) looked(t *armed, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(t); now != nil {
		m := now.memory.clone()
		m.Last = at
		s.rememberSoon(now, m)
	}
}

// untilDue waits until it is time for the next look, and reports whether ctx goes on. A
// clock that is set back puts nothing off.
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
		if due.IsZero() { // there is no time any more
			<-ctx.Done()
			return false
		}
		if asked.After(due) && asked.Sub(now) < lookTime {
			due = asked
		}
		s.mu.Lock()
		t.next = due
		s.mu.Unlock()
		if wait := due.Sub(now); wait <= 0 {
			return ctx.Err() == nil
		} else if !pause(ctx, min(wait, lookAtClock)) {
			return false
		}
	}
}
