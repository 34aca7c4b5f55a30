package trigger_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// shelf is a source of numbers, of which more and more are there. What it remembers is how
// many it has told.
type shelf struct {
	mu    sync.Mutex
	there int
	err   error
	looks []string      // when, and with which memory
	stuck chan struct{} // looks that do not come back until it is closed
	wake  chan struct{}
}

func (s *shelf) put(n int) {
	s.mu.Lock()
	s.there += n
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *shelf) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *shelf) news(memory []byte) ([]node.Firing, []byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks = append(s.looks, time.Now().UTC().Format("15:04:05 ")+string(memory))
	if s.err != nil {
		return nil, nil, s.err
	}
	told := 0
	if memory != nil {
		if err := json.Unmarshal(memory, &told); err != nil {
			return nil, nil, err
		}
	}
	var found []node.Firing
	for n := told + 1; n <= s.there; n++ {
		found = append(found, node.Firing{Key: fmt.Sprint(n), Outputs: record{"what": n}})
	}
	return found, fmt.Append(nil, s.there), nil
}

// Look is that of a [node.Poll].
func (s *shelf) look(ctx context.Context, memory []byte) ([]node.Firing, []byte, error) {
	found, next, err := s.news(memory)
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck != nil {
		select {
		case <-stuck:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return found, next, err
}

// run is that of a [node.Watch].
func (s *shelf) run(ctx context.Context, _ time.Time, memory []byte, fire func([]node.Firing, []byte) error) error {
	for {
		found, next, err := s.news(memory)
		if err == nil && string(next) != string(memory) {
			if err = fire(found, next); err == nil {
				memory = next
			}
		}
		if err != nil {
			return err
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Install implements [node.Plugin].
func (s *shelf) Install(r *node.Registrar) {
	source := func(typ string, source node.Source) {
		r.Register(node.Node{
			Spec: node.Spec{
				Type: typ, Label: "Shelf", Role: node.RoleTrigger, Inline: true, Outputs: []node.Port{{Name: "what", Type: value.Any(), Description: "A number."}},
			},
			Bind: func(b node.Binding) (node.Bound, []node.Problem) {
				return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Source: source}, nil
			},
		})
	}
	source("test.poll", node.Poll{Every: time.Minute, Look: s.look})
	source("test.clock", node.Poll{Next: func(after time.Time) time.Time {
		if next := after.Truncate(time.Hour).Add(time.Hour); next.UTC().Day() == 1 { // that of the bubble, wherever it runs
			return next
		}
		return time.Time{}
	}, Look: s.look})
	source("test.watch", node.Watch{Run: s.run})
}

// onShelf calls f in a world with a shelf.
func onShelf(t *testing.T, f func(t *testing.T, w *world, shelf *shelf)) {
	t.Helper()
	inWorld(t, func(t *testing.T, w *world) {
		s := &shelf{wake: make(chan struct{}, 1)}
		var err error
		w.env.Registry, err = node.NewRegistry(s)
		require.NoError(t, err)
		f(t, w, s)
	})
}

// arm activates workflow a with a trigger of a type.
func (w *world) arm(s *trigger.Service, typ string) {
	w.t.Helper()
	how := store.Activation{Definition: &workflow.Definition{ID: "a", Nodes: []workflow.Node{{ID: "s0", Type: typ}}}}
	plan, err := w.Compile(w.t.Context(), how.Definition)
	require.NoError(w.t, err)
	_, err = s.Activate(w.t.Context(), how, plan)
	require.NoError(w.t, err)
}

func TestPollsLook(t *testing.T) {
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) {
		s := w.open()
		w.arm(s, "test.poll")
		require.Empty(t, w.after(time.Second))
		require.Equal(t, []string{"00:00:00 "}, shelf.looks, "the first look is at once")
		require.Equal(t, "2000-01-01T00:01:00Z", w.shown(s).Next.Format(time.RFC3339))
		shelf.put(2)
		require.Empty(t, w.after(58*time.Second))
		require.Equal(t, []string{"a.s0 1", "a.s0 2"}, w.after(2*time.Second))
		require.Empty(t, w.after(3*time.Minute))
		require.Equal(t, []string{"00:00:00 ", "00:01:00 0", "00:02:00 2", "00:03:00 2", "00:04:00 2"}, shelf.looks)

		shelf.put(1)
		s.Close()
		s = w.open()
		require.Empty(t, w.after(time.Second), "it is not yet time")
		require.Equal(t, []string{"a.s0 3"}, w.after(time.Minute), "a restart forgets nothing")
		shelf.put(1)
		w.arm(s, "test.poll")
		require.Equal(t, []string{"a.s0 4"}, w.after(time.Minute+time.Second), "neither does another activation")
		require.NoError(t, s.Deactivate(t.Context(), "a"))
		looks := len(shelf.looks)
		w.after(time.Hour)
		require.Len(t, shelf.looks, looks)
	})
}

func TestPollsAtTimes(t *testing.T) {
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) {
		s := w.open()
		<-time.After(90 * time.Minute)
		w.arm(s, "test.clock")
		<-time.After(time.Hour)
		s.Close()
		<-time.After(6 * time.Hour)
		w.open()
		<-time.After(24 * time.Hour)
		require.Equal(t, []string{"01:30:00 ", "02:00:00 0", "08:30:00 0", "09:00:00 0"}, shelf.looks[:4], "what was missed is looked for at once, and once")
		require.Len(t, shelf.looks, 18, "until there is no time any more")
	})
}

func TestPollsThatFail(t *testing.T) {
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) {
		s := w.open()
		shelf.set(func() { shelf.err = errors.New("nobody is there") })
		w.arm(s, "test.poll")
		w.after(time.Second)
		require.Equal(t, "nobody is there", w.shown(s).LastError)
		shelf.set(func() {
			shelf.err = &node.Error{Code: node.CodeRateLimited, Message: "not so often", RetryAfter: 5 * time.Minute}
		})
		w.after(time.Minute)
		shelf.set(func() { shelf.err = nil })
		shelf.put(1)
		require.Equal(t, []string{"a.s0 1"}, w.after(5*time.Minute))
		require.Equal(t, []string{"00:00:00 ", "00:01:00 ", "00:06:00 "}, shelf.looks)
		require.Empty(t, w.shown(s).LastError)
	})
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) { // one that takes for ever
		s := w.open()
		shelf.set(func() { shelf.stuck = make(chan struct{}) })
		w.arm(s, "test.poll")
		w.after(10*time.Minute + time.Second)
		require.Contains(t, w.shown(s).LastError, "deadline")
		w.after(time.Second)
		s.Close()
		require.Len(t, shelf.looks, 2)
	})
}

// TestPollsLoseNothing lets the disk fail between the firings and the memory, and before both.
func TestPollsLoseNothing(t *testing.T) {
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) {
		disk := &forgetful{ActivationStore: w.store}
		w.store = disk
		s := w.open()
		w.arm(s, "test.poll")
		w.after(time.Second)
		shelf.put(2500)
		w.set(func() { w.broken = errors.New("no space left") })
		require.Empty(t, w.after(2*time.Minute))
		require.Len(t, shelf.looks, 2, "nobody looks while what was found has no place")
		require.Contains(t, w.shown(s).LastError, "no space left")
		disk.set(errFull)
		w.set(func() { w.broken, w.full = nil, true })
		require.Empty(t, w.after(2*time.Minute))
		require.Equal(t, 2500, w.shown(s).Waiting)
		s.Close() // and the memory is lost
		disk.set(nil)
		s = w.open()
		w.after(2 * time.Minute)
		require.Equal(t, 2500, w.shown(s).Waiting, "a repeated key starts no second run")
		require.Equal(t, "2500", s.Remembered("a", "s0"))
		require.Empty(t, slices.DeleteFunc(slices.Clone(shelf.looks[len(shelf.looks)-1:]), func(l string) bool { return l[9:] == "2500" }))
	})
}

func TestAFullInboxStopsPolls(t *testing.T) {
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) {
		w.full = true
		s := w.open()
		w.arm(s, "test.poll")
		shelf.put(10_500)
		w.after(5 * time.Minute)
		require.Equal(t, 10_000, w.shown(s).Waiting)
		looks := len(shelf.looks)
		w.after(10 * time.Minute)
		require.Len(t, shelf.looks, looks)
		w.set(func() { w.full = false })
		w.after(5 * time.Minute)
		require.Len(t, w.started, 10_500)
	})
}

func TestWatchesFire(t *testing.T) {
	onShelf(t, func(t *testing.T, w *world, shelf *shelf) {
		s := w.open()
		w.arm(s, "test.watch")
		shelf.put(2)
		require.Equal(t, []string{"a.s0 1", "a.s0 2"}, w.after(time.Millisecond))
		s.Close()
		shelf.put(1)
		s = w.open()
		require.Equal(t, []string{"a.s0 3"}, w.after(time.Millisecond))
		w.arm(s, "test.watch")
		shelf.put(1)
		require.Equal(t, []string{"a.s0 4"}, w.after(time.Millisecond))

		w.set(func() { w.broken = errors.New("no space left") })
		shelf.put(1)
		require.Empty(t, w.after(10*time.Second))
		require.Equal(t, "no space left", w.shown(s).LastError)
		w.set(func() { w.broken = nil })
		require.Equal(t, []string{"a.s0 5"}, w.after(time.Minute))
		require.Empty(t, w.shown(s).LastError)
		require.NoError(t, s.Deactivate(t.Context(), "a"))
		synctest.Wait()
		shelf.put(1)
		require.Empty(t, w.after(time.Hour))
	})
}
