package trigger

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// startSource starts the goroutine of a poll or a watch, and sets t.stop to end it. Schedules
// fire in [Service.step], hooks when they are called. The caller holds mu.
func (s *Service) startSource(t *armed, source node.Source) {
	var wait func(ctx context.Context)
	switch source := source.(type) {
	case node.Poll:
		wait = func(ctx context.Context) { s.poll(ctx, t, &source) }
	case node.Watch:
		wait = func(ctx context.Context) { s.watch(ctx, t, &source) }
	default:
		return
	}
	key := sourceKey{t.of.Definition.ID, t.node}
	before, over := s.sources[key], make(chan struct{})
	s.sources[key] = over
	ctx := s.life
	if s.Around != nil {
		ctx = s.Around(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	t.stop = cancel
	s.goroutines.Go(func() {
		defer cancel()
		defer s.sourceStopped(key, over)
		if before != nil {
			<-before // the new source starts from the memory that the former one leaves
		}
		wait(ctx)
	})
}

// sourceKey identifies a trigger whose source has a goroutine.
type sourceKey struct{ workflow, node string }

func (s *Service) sourceStopped(key sourceKey, over chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources[key] == over {
		delete(s.sources, key)
	}
	close(over)
}

// remembered returns the memory of a source, and the time of its last poll.
func (s *Service) remembered(t *armed) (memory []byte, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.memory.Source, t.memory.Last
}

// maxBatch bounds the firings that are enqueued together. As many fit into an empty queue.
const maxBatch = 1000

// deliver enqueues all firings of a source, then saves its memory.
func (s *Service) deliver(t *armed, firings []node.Firing, memory []byte) error {
	for len(firings) > maxBatch {
		if _, err := s.fire(t, firings[:maxBatch], nil); err != nil {
			return err
		}
		firings = firings[maxBatch:]
	}
	_, err := s.fire(t, firings, memory)
	return err
}

// showError shows the error of a source to users; nil clears it.
func (s *Service) showError(t *armed, err error) {
	if s.life.Err() != nil {
		return
	}
	if err != nil {
		s.Log.Warn("a trigger cannot reach its source; retrying", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.current(t)
	if now == nil || err == nil && now.memory.Error == "" {
		return
	}
	m := now.memory.clone()
	if m.Error = ""; err != nil {
		m.Error = err.Error()
	}
	s.rememberLazily(now, m)
}

// pause waits for d. It reports false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// longestPause bounds the pause before a failed source is called again.
const longestPause = time.Minute

// callSafely calls f and turns a panic into an error.
func (s *Service) callSafely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a source of a trigger panicked", "panic", p, "stack", string(debug.Stack()))
			err = node.Errorf(node.CodePanic, "%v", fmt.Sprint("the trigger panicked: ", p))
		}
	}()
	return f()
}

// disarmed reports whether a source has to stop because its trigger was disarmed.
func disarmed(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrDisarmed)
}
