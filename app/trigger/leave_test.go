package trigger_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// activateNode arms workflow a with a single hourly schedule at a node.
func (w *world) activateNode(s *trigger.Service, node string) {
	w.t.Helper()
	def := &workflow.Definition{ID: "a", Nodes: []workflow.Node{{ID: node, Type: "trigger.schedule", Config: record{"every": "1h"}}}}
	plan, err := w.Compile(w.t.Context(), def)
	require.NoError(w.t, err)
	_, err = s.Activate(w.t.Context(), store.Activation{Definition: def}, plan)
	require.NoError(w.t, err)
}

// requireNoMemory proves that the store keeps nothing of trigger s0 of workflow a.
func (w *world) requireNoMemory() {
	w.t.Helper()
	kept, err := w.store.Memory(w.t.Context(), "a", "s0")
	require.NoError(w.t, err)
	require.Empty(w.t, string(kept))
}

func TestRunOfTriggerThatLeftTheRevisionIsCountedOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.patient, w.full = true, true
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		require.Empty(t, w.after(61*time.Minute), "the run waits")
		w.activateNode(s, "other")
		w.set(func() { w.full = false })
		require.Len(t, w.after(2*time.Second), 1)
		require.Equal(t, 1, s.Running())

		w.activateNode(s, "third")
		w.finish(1, false)
		require.Zero(t, s.Running())
		s.WaitReady()
		w.requireNoMemory()
	})
}

func TestRunOfTriggerThatLeftTheRevisionLeavesNoMemory(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.patient, w.full = true, true
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		w.after(61 * time.Minute)
		w.activateNode(s, "other")
		w.set(func() { w.full = false })
		require.Len(t, w.after(2*time.Second), 1)
		s.WaitReady()
		w.requireNoMemory()
		w.finish(1, true)
		w.after(2 * time.Second)
		require.Equal(t, 1, w.resumed, "it is resumed nevertheless")
		w.set(func() { close(w.runs["run-2"].end) })
		w.after(2 * time.Second)
		require.Zero(t, s.Running())
		s.WaitReady()
		w.requireNoMemory()
	})
}

// hookedStore calls a function before it activates a workflow.
type hookedStore struct {
	store.ActivationStore
	before func()
}

// Activate implements store.ActivationStore.
func (h *hookedStore) Activate(ctx context.Context, a store.Activation) error {
	h.before()
	return h.ActivationStore.Activate(ctx, a)
}

func TestRunThatEndsDuringActivationLeavesNoMemory(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.patient = true
		hooked := &hookedStore{ActivationStore: w.store, before: func() {}}
		s := w.openAs(w, hooked)
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		require.Len(t, w.after(61*time.Minute), 1)
		hooked.before = func() {
			close(w.runs["run-1"].end)
			for s.Running() > 0 { // synctest.Wait would wait for a step, which waits for this activation
				runtime.Gosched()
			}
		}
		w.activateNode(s, "other")
		s.WaitReady()
		w.requireNoMemory()
		require.Zero(t, s.Running())
	})
}

// hookedHost calls a function before it begins a run.
type hookedHost struct {
	*world
	before atomic.Pointer[func(runID string)] // nil: nothing
}

// Begin implements trigger.Host.
func (h *hookedHost) Begin(ctx context.Context, runID string, armed int64) error {
	if before := h.before.Load(); before != nil {
		(*before)(runID)
	}
	return h.world.Begin(ctx, runID, armed)
}

func TestWorkflowStaysAwakeWhileItsRunBegins(t *testing.T) {
	inWorldOf(t, -1, func(t *testing.T, w *world) {
		w.patient = true
		host := &hookedHost{world: w}
		s := w.openAs(host, w.store)
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		w.activate(s, "b", store.Activation{}, record{"every": "24h"})
		before := func(string) { // the source of another workflow has its memory put on the disk
			_, err := s.FireSource("b", "s0", nil, []byte(`{}`))
			require.NoError(t, err)
		}
		host.before.Store(&before)
		require.Len(t, w.after(61*time.Minute), 1)
		require.Equal(t, 1, s.Running())
		w.finish(1, false)
		synctest.Wait()
		require.Zero(t, s.Running())
	})
}

func TestDispatchSkipsWorkflowThatFellAsleep(t *testing.T) {
	inWorldOf(t, -1, func(t *testing.T, w *world) {
		w.patient = true
		host := &hookedHost{world: w}
		s := w.openAs(host, w.store)
		for _, id := range []string{"a", "c"} {
			w.activate(s, id, store.Activation{}, record{"every": "1h"})
		}
		w.activate(s, "b", store.Activation{}, record{"every": "24h"})
		first := true
		before := func(runID string) {
			if !first {
				return
			}
			first = false
			other := map[string]string{"run-1": "run-2", "run-2": "run-1"}[runID]
			s.Forget(other) // somebody cancels the only other run that waits
			require.NoError(t, w.Drop(t.Context(), other))
			_, err := s.FireSource("b", "s0", nil, []byte(`{}`)) // its flush lets the other workflow fall asleep
			require.NoError(t, err)
		}
		host.before.Store(&before)
		require.Len(t, w.after(61*time.Minute), 1)
		require.Equal(t, 1, s.Running())
	})
}
