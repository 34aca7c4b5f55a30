package trigger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// attend begins to wait for what the source of a trigger tells, and leaves in t what ends
// that. Sources that are schedules are waited for by [Service.step], and hooks by those who
// call them. The caller holds the lock.
func (s *Service) attend(t *armed, source node.Source) {
	var wait func(ctx context.Context)
	switch source := source.(type) {
	case node.Poll:
		wait = func(ctx context.Context) { s.poll(ctx, t, &source) }
	case node.Watch:
		wait = func(ctx context.Context) { s.watch(ctx, t, &source) }
	default:
		return
	}
	key := attended{t.of.Definition.ID, t.node}
	before, over := s.attended[key], make(chan struct{})
	s.attended[key] = over
	ctx := s.life
	if s.Around != nil {
		ctx = s.Around(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	t.stop = cancel
	s.inside.Go(func() {
		defer cancel()
		defer s.leave(key, over)
		if before != nil {
			<-before // the one that stood there goes on with what is remembered until then
		}
		wait(ctx)
	})
}

// attended names a trigger whose source is waited for.
type attended struct{ workflow, node string }

func (s *Service) leave(key attended, over chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attended[key] == over {
		delete(s.attended, key)
	}
	close(over)
}

// remembered returns what the source of a trigger remembers, and when it was last asked.
func (s *Service) remembered(t *armed) (memory []byte, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.memory.Source, t.memory.Last
}

// atOnce is how many firings that a source tells together are put down together: so many
// have room in the inbox.
const atOnce = 1000

// tell has all firings of a source put down, and then its memory.
func (s *Service) tell(t *armed, firings []node.Firing, memory []byte) error {
	for len(firings) > atOnce {
		if _, err := s.fire(t, firings[:atOnce], nil); err != nil {
			return err
		}
		firings = firings[atOnce:]
	}
	_, err := s.fire(t, firings, memory)
	return err
}

// trouble shows why a trigger cannot tell whether something has happened; nil says that it
// can.
func (s *Service) trouble(t *armed, err error) {
	if s.life.Err() != nil {
		return
	}
	if err != nil {
		s.Log.Warn("a trigger cannot look; it is tried again", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now(t)
	if now == nil || err == nil && now.memory.Error == "" {
		return
	}
	m := now.memory.clone()
	if m.Error = ""; err != nil {
		m.Error = err.Error()
	}
	s.rememberSoon(now, m)
}

// pause waits, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// longestPause is how long after a failure a source is asked again at the latest.
const longestPause = time.Minute

// guarded calls f of a source, and makes a panic its failure.
func (s *Service) guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a source of a trigger panicked", "panic", p, "stack", string(debug.Stack()))
			err = node.Errorf(node.CodePanic, "%v", fmt.Sprint("the trigger panicked: ", p))
		}
	}()
	return f()
}

// disarmed reports whether an error says that nobody waits for a source any more.
func disarmed(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrDisarmed)
}
