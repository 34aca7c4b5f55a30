package trigger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

func TestRunsThatACrashInterruptedGoOnThoughNobodyRemembersThem(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		disk := &forgetful{ActivationStore: w.store, err: errFull}
		w.store, w.patient = disk, true
		s := w.open()
		w.activate(s, "a", store.Activation{OnInterrupted: run.Resume}, record{"every": "1h", "until": "2000-01-01T02:00:00"})
		require.Len(t, w.after(61*time.Minute), 1)
		s.Close() // and nothing of the run is remembered
		disk.set(nil)
		w.finish(1, true)
		w.set(func() { w.crashed = []trigger.Interrupted{{RunID: "run-1", WorkflowID: "a", Node: "s0"}} })
		w.open()
		w.after(time.Minute)
		require.Equal(t, 1, w.resumed)
		require.Len(t, w.started, 1)
	})
}

func TestWhatWaitsAtAWorkflowEndsWithItsActivation(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.patient = true
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1m"})
		w.after(4*time.Minute + time.Second)
		require.Equal(t, 3, w.shown(s).Waiting)
		s.Forget("run-3") // somebody has cancelled it
		require.Equal(t, 2, w.shown(s).Waiting)
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		require.Equal(t, 2, w.shown(s).Waiting, "what had come still waits")
		require.Equal(t, map[string]trigger.Counts{"trigger.schedule": {Fired: 4, Waiting: 2}}, s.Counts())
		require.NoError(t, s.Deactivate(t.Context(), "a"))
		require.Equal(t, []trigger.Waiting{{RunID: "run-3", WorkflowID: "a", Node: "s0", Type: "trigger.schedule", Bytes: 100}}, w.waiting)

		// A service that finds what waits at a workflow that is not active drops it.
		s.Close()
		w.open()
		require.Empty(t, w.waiting)
	})
}

func TestTheInboxIsBounded(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.full = true
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1s"})
		w.after(1010 * time.Second)
		require.Equal(t, 1000, w.shown(s).Waiting)
		require.Equal(t, 10, w.shown(s).Missed)
	})
}

func TestTimesComeAgainThatCouldNotBePutDown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		w.set(func() { w.broken = errors.New("no space left") })
		require.Empty(t, w.after(61*time.Minute))
		w.set(func() { w.broken = nil })
		require.Equal(t, []string{"a.s0 2000-01-01T01:00:00 missed 0"}, w.after(2*time.Second))
	})
}

func TestSourcesFire(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "24h"})
		told := []node.Firing{{Key: "one", Outputs: record{"what": 1}}, {Outputs: record{"what": 2}}}
		ids, err := s.FireSource("a", "s0", told, []byte(`{"seen":1}`))
		require.NoError(t, err)
		require.Len(t, ids, 2)
		require.Equal(t, []string{"a.s0 1", "a.s0 2"}, w.after(time.Millisecond))
		again, err := s.FireSource("a", "s0", told[:1], nil)
		require.NoError(t, err)
		require.Equal(t, ids[:1], again, "a key makes one run")
		require.Empty(t, w.after(time.Millisecond))
		require.Equal(t, `{"seen":1}`, s.Remembered("a", "s0"))
		s.Close()
		s = w.open()
		require.Equal(t, `{"seen":1}`, s.Remembered("a", "s0"))

		// Runs that start each other by their ends come to an end.
		last := ids[0]
		for range 16 {
			ids, err = s.FireSource("a", "s0", []node.Firing{{Cause: last}}, nil)
			require.NoError(t, err)
			last = ids[0]
		}
		_, err = s.FireSource("a", "s0", []node.Firing{{Cause: last}}, nil)
		require.ErrorIs(t, err, trigger.ErrChain)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
		require.Equal(t, 1, w.shown(s).Refused)
		require.Contains(t, w.shown(s).LastError, "more than 16 runs")

		many := make([]node.Firing, 10_001)
		_, err = s.FireSource("a", "s0", many, nil)
		require.ErrorIs(t, err, trigger.ErrInboxFull)
		w.after(time.Millisecond)
		require.NoError(t, s.Deactivate(t.Context(), "a"))
		require.Empty(t, w.after(time.Minute))
	})
}
