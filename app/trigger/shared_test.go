package trigger_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// Arrived implements trigger.SharedHost.
func (w *world) Arrived(_ context.Context, since time.Time) (all []trigger.Waiting, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.waiting {
		if x.At = w.times[x.RunID]; x.At.After(since) {
			all = append(all, x)
		}
	}
	return all, w.broken
}

// Inbox implements trigger.SharedHost.
func (w *world) Inbox(context.Context) (store.Inbox, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return store.Inbox{Runs: w.put + len(w.waiting)}, w.broken
}

// inShared calls f in a synctest bubble with three processes that share activations.
func inShared(t *testing.T, f func(t *testing.T, w *world, kept *memstore.ActivationStore, s []*trigger.Shared)) {
	t.Helper()
	inWorldOf(t, 0, func(t *testing.T, w *world) {
		kept := w.store.(*memstore.ActivationStore)
		var all []*trigger.Shared
		for range 3 {
			s := trigger.NewShared(trigger.Config{
				Slots: 2, MaxLoaded: w.awake, Random: func(most time.Duration) time.Duration { return most / 2 },
			}, w, kept)
			defer s.Close()
			all = append(all, s)
			synctest.Wait()
		}
		f(t, w, kept, all)
	})
}

func arm(t *testing.T, w *world, s *trigger.Shared, def *workflow.Definition, how store.Activation) error {
	t.Helper()
	plan, err := w.Compile(t.Context(), def)
	require.NoError(t, err)
	how.Definition = def
	_, err = s.Activate(t.Context(), how, plan)
	return err
}

func timed(config map[string]any) *workflow.Definition {
	return &workflow.Definition{ID: "a", Nodes: []workflow.Node{{ID: "s0", Type: "trigger.schedule", Config: config}}}
}

const secretPath = "orders-0123456789abcdefghijklmn"

func hooked(id string) *workflow.Definition {
	return &workflow.Definition{ID: id, Nodes: []workflow.Node{{ID: "h", Type: "trigger.webhook", Config: map[string]any{"path": secretPath, "auth": "none"}}}}
}

// call calls the only hook at secretPath.
func call(t *testing.T, s *trigger.Shared, key string) (string, error) {
	t.Helper()
	hooks, _ := s.Hooks(t.Context(), secretPath)
	require.Len(t, hooks, 1)
	return s.Fire(hooks[0], node.Firing{Key: key, Outputs: map[string]any{"what": "called " + key}}, "")
}

// Any process can activate a schedule; the leader fires it, and another one takes over when that
// dies. No time is lost, and none fires twice.
func TestOneLeaderFires(t *testing.T) {
	inShared(t, func(t *testing.T, w *world, kept *memstore.ActivationStore, all []*trigger.Shared) {
		require.NoError(t, arm(t, w, all[2], timed(record{"cron": "* * * * *"}), store.Activation{Revision: 3}))
		for minute := 1; minute <= 6; minute++ {
			require.Equal(t, []string{fmt.Sprintf("a.s0 2000-01-01T00:%02d:00 missed 0", minute)}, w.after(time.Minute), "minute %d", minute)
			if minute%2 == 0 {
				kept.Depose()
			}
			for i, s := range all {
				a, err := s.Activation(t.Context(), "a")
				require.NoError(t, err)
				require.Equal(t, 3, a.Revision)
				require.Equal(t, time.Date(2000, 1, 1, 0, minute+1, 0, 0, time.UTC), a.Triggers[0].Next, "process %d", i)
				require.Len(t, s.Upcoming("a", "s0", 3), 3)
			}
		}
		w.after(2 * time.Second) // what a trigger remembers is kept within a second
		for _, s := range all {
			armed, err := s.Activations(t.Context())
			require.NoError(t, err)
			require.Len(t, armed, 1)
			require.Equal(t, "run-6", armed[0].Triggers[0].LastRunID)
			require.False(t, armed[0].Elsewhere)
		}
		require.NoError(t, all[1].Deactivate(t.Context(), "a"))
		for _, s := range all {
			_, err := s.Activation(t.Context(), "a")
			require.ErrorIs(t, err, store.ErrNotActive)
		}
		require.Empty(t, w.after(10*time.Minute))
	})
}

// A time that comes between the moment in which a schedule is armed at one process and the
// moment in which another one hears of it fires.
func TestTimesCountFromTheActivation(t *testing.T) {
	inShared(t, func(t *testing.T, w *world, _ *memstore.ActivationStore, all []*trigger.Shared) {
		<-time.After(time.Minute - 2*time.Millisecond)
		require.NoError(t, arm(t, w, all[2], timed(record{"cron": "* * * * *"}), store.Activation{}))
		require.Equal(t, []string{"a.s0 2000-01-01T00:01:00 missed 0"}, w.after(time.Second))
		require.NoError(t, all[0].Deactivate(t.Context(), "a"))
		<-time.After(59 * time.Second)
		require.NoError(t, arm(t, w, all[1], timed(record{"cron": "0 0 * * *"}), store.Activation{}))
		require.Empty(t, w.after(time.Minute))
		require.NoError(t, arm(t, w, all[1], timed(record{"cron": "*/2 * * * *"}), store.Activation{}))
		require.Equal(t, []string{"a.s0 2000-01-01T00:04:00 missed 0"}, w.after(time.Minute+time.Second), "the next activation goes on where this one was")
	})
}

func TestHooksAreCalledAnywhere(t *testing.T) {
	inShared(t, func(t *testing.T, w *world, kept *memstore.ActivationStore, all []*trigger.Shared) {
		require.NoError(t, arm(t, w, all[1], hooked("a"), store.Activation{}))
		for i, s := range all {
			_, err := call(t, s, fmt.Sprint(i)) // at once
			require.NoError(t, err)
		}
		require.Equal(t, []string{"a.h called 0", "a.h called 1", "a.h called 2"}, w.after(time.Second))
		again, err := call(t, all[0], "2")
		require.NoError(t, err)
		require.Equal(t, "run-3", again, "it is the same call")
		require.Empty(t, w.after(time.Second))
		for _, s := range all {
			shown, err := s.Activation(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, "run-3", shown.Triggers[0].LastRunID)
			require.Equal(t, "/hooks/"+secretPath, shown.Triggers[0].URL)
		}
		kept.Depose()
		_, err = call(t, all[2], "3")
		require.NoError(t, err)
		require.Equal(t, []string{"a.h called 3"}, w.after(2*time.Second), "also while nobody lets triggers fire")

		var taken *trigger.PathInUseError
		require.ErrorAs(t, arm(t, w, all[0], hooked("b"), store.Activation{}), &taken)
		require.Equal(t, "a", taken.WorkflowID)
		require.NoError(t, all[2].Deactivate(t.Context(), "a"))
		for _, s := range all {
			<-time.After(time.Second)
			hooks, _ := s.Hooks(t.Context(), secretPath)
			require.Empty(t, hooks)
		}
		require.NoError(t, arm(t, w, all[0], hooked("b"), store.Activation{}))
	})
}

// Any process can deactivate a workflow, which cancels its queued runs, and all processes count
// the queue.
func TestAllProcessesSeeTheQueue(t *testing.T) {
	inShared(t, func(t *testing.T, w *world, _ *memstore.ActivationStore, all []*trigger.Shared) {
		w.set(func() { w.full = true })
		require.NoError(t, arm(t, w, all[1], hooked("a"), store.Activation{}))
		for i := range 4 {
			_, err := call(t, all[i%3], fmt.Sprint(i))
			require.NoError(t, err)
		}
		require.Empty(t, w.after(time.Second))
		for _, s := range all {
			shown, err := s.Activation(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, 4, shown.Triggers[0].Waiting)
		}
		w.set(func() { w.waiting = w.waiting[1:] }) // somebody has cancelled one of them elsewhere
		w.after(20 * time.Second)
		shown, err := all[0].Activation(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, 3, shown.Triggers[0].Waiting)
		require.NoError(t, all[2].Deactivate(t.Context(), "a"))
		w.set(func() { w.full = false })
		require.Empty(t, w.after(20*time.Second))
		require.Empty(t, w.waiting)

		w.set(func() { w.put = 10_000 })
		require.NoError(t, arm(t, w, all[1], hooked("a"), store.Activation{}))
		<-time.After(2 * time.Second)
		_, err = call(t, all[2], "one too many")
		require.ErrorIs(t, err, trigger.ErrInboxFull)
		require.Equal(t, 1, all[2].Counts()["trigger.webhook"].Refused)
	})
}

// spotty is a store that cannot always tell all that is active.
type spotty struct {
	*memstore.ActivationStore
	away atomic.Bool
}

// Activations implements store.ActivationStore.
func (s *spotty) Activations(ctx context.Context) iter.Seq2[store.Activation, error] {
	if !s.away.Load() {
		return s.ActivationStore.Activations(ctx)
	}
	return func(yield func(store.Activation, error) bool) { yield(store.Activation{}, store.ErrUnavailable) }
}

// A leader that starts while the store is unavailable loads the activations later.
func TestLeaderLoadsWhenTheStoreIsBack(t *testing.T) {
	inWorldOf(t, 0, func(t *testing.T, w *world) {
		kept := &spotty{ActivationStore: &memstore.ActivationStore{}}
		s := trigger.NewShared(trigger.Config{Slots: 2}, w, kept)
		defer s.Close()
		synctest.Wait()
		require.NoError(t, arm(t, w, s, timed(record{"cron": "* * * * *"}), store.Activation{}))
		require.Len(t, w.after(time.Minute), 1)
		kept.away.Store(true)
		kept.Depose()
		require.Len(t, w.after(time.Minute), 1)
	})
}

// A new leader counts the runs in progress.
func TestNewLeaderCountsRunsInProgress(t *testing.T) {
	inShared(t, func(t *testing.T, w *world, kept *memstore.ActivationStore, all []*trigger.Shared) {
		w.set(func() { w.patient = true })
		require.NoError(t, arm(t, w, all[1], hooked("a"), store.Activation{Concurrency: 1}))
		for i := range 2 {
			_, err := call(t, all[i], fmt.Sprint(i))
			require.NoError(t, err)
		}
		require.Equal(t, []string{"a.h called 0"}, w.after(100*time.Millisecond))
		w.set(func() { w.crashed = []trigger.Interrupted{{RunID: "run-1", WorkflowID: "a", Node: "h"}} })
		kept.Depose() // before its start is saved
		require.Empty(t, w.after(time.Minute), "one at a time")
		w.finish(1, false)
		require.Equal(t, []string{"a.h called 1"}, w.after(time.Second))
	})
}

// While the store is unavailable, nothing is dropped; afterwards everything continues.
func TestSharedHostIsAway(t *testing.T) {
	inShared(t, func(t *testing.T, w *world, _ *memstore.ActivationStore, all []*trigger.Shared) {
		require.NoError(t, arm(t, w, all[1], timed(record{"cron": "* * * * *"}), store.Activation{}))
		require.Len(t, w.after(time.Minute), 1)
		w.set(func() { w.broken = errors.New("it is away") })
		require.Empty(t, w.after(90*time.Second))
		w.set(func() { w.broken = nil })
		require.Equal(t, []string{"a.s0 2000-01-01T00:02:00 missed 0"}, w.after(5*time.Second))
	})
}
