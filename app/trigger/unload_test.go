package trigger_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// asleepWorld is a world in which schedules fall asleep whenever they may.
func asleepWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	inWorldOf(t, -1, f)
}

func TestSchedulesSleepUntilTheirTime(t *testing.T) {
	asleepWorld(t, func(t *testing.T, w *world) {
		w.patient = true
		s := w.open()
		w.activate(s, "a", store.Activation{Revision: 7, Concurrency: 2, OnInterrupted: run.Leave}, record{"cron": "0 8 * * *"})
		w.activate(s, "b", store.Activation{}, record{"cron": "0 8 * * *"}, record{"cron": "0 9 * * *"})
		w.activate(s, "c", store.Activation{}, record{"every": "30s"})
		require.Equal(t, 1, s.Unloaded(), "others have more to do, or something soon")
		before, err := s.Activation(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, run.Activation{
			WorkflowID: "a", Revision: 7, Since: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Concurrency: 2, OnInterrupted: run.Leave,
			Triggers: []run.Trigger{{NodeID: "s0", Type: "trigger.schedule", Next: time.Date(2000, 1, 1, 8, 0, 0, 0, time.UTC)}},
		}, before)
		require.Equal(t, []time.Time{
			time.Date(2000, 1, 1, 8, 0, 0, 0, time.UTC), time.Date(2000, 1, 2, 8, 0, 0, 0, time.UTC),
		}, s.Upcoming("a", "s0", 2))
		require.Equal(t, 1, s.Unloaded(), "looking awakens nobody")
		require.NoError(t, s.Deactivate(t.Context(), "b"))
		require.NoError(t, s.Deactivate(t.Context(), "c"))

		require.Len(t, w.after(8*time.Hour), 1)
		require.Zero(t, s.Unloaded(), "its run goes on")
		w.finish(1, false)
		w.after(2 * time.Second)
		require.Equal(t, 1, s.Unloaded())
		require.Equal(t, "run-1", w.shown(s).LastRunID)
		require.Len(t, w.after(24*time.Hour), 1)
		require.NoError(t, s.Deactivate(t.Context(), "a"))
		_, err = s.Activation(t.Context(), "a")
		require.ErrorIs(t, err, store.ErrNotActive)
	})
}

// deaf is a store whose reads of single activations can be made to fail.
type deaf struct {
	store.ActivationStore
	broken atomic.Bool
}

// Activation implements store.ActivationStore.
func (d *deaf) Activation(ctx context.Context, workflowID string) (store.Activation, error) {
	if d.broken.Load() {
		return store.Activation{}, errFull
	}
	return d.ActivationStore.Activation(ctx, workflowID)
}

func TestSleepersThatCannotBeReadComeLater(t *testing.T) {
	asleepWorld(t, func(t *testing.T, w *world) {
		kept := &deaf{ActivationStore: &memstore.ActivationStore{}}
		w.store = kept
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"cron": "0 8 * * *"})
		kept.broken.Store(true)
		require.Empty(t, w.after(8*time.Hour+time.Second))
		kept.broken.Store(false)
		require.Equal(t, []string{"a.s0 2000-01-01T08:00:00 missed 0"}, w.after(2*time.Second))
	})
}

func TestSleepersWhoseClockIsSetBack(t *testing.T) {
	asleepWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"cron": "0 8 * * *"})
		require.Len(t, w.after(8*time.Hour+2*time.Second), 1)
		require.Equal(t, 1, s.Unloaded())
		w.set(func() { w.ahead = -3 * time.Hour })
		require.Len(t, w.after(3*time.Hour+time.Minute), 1, "the time comes again")
	})
}

func TestManyThatSleepUntilTheSameTime(t *testing.T) {
	asleepWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		const many = 600
		for i := range many {
			w.activate(s, string(rune('a'+i/26))+string(rune('a'+i%26)), store.Activation{}, record{"cron": "0 8 * * *"})
		}
		require.Equal(t, many, s.Unloaded())
		require.Len(t, w.after(8*time.Hour+time.Second), many)
		w.after(2 * time.Second)
		require.Equal(t, many, s.Unloaded())
	})
}
