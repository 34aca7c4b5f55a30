package trigger_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

type record = map[string]any

func TestTimesFire(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{Revision: 3}, record{"cron": "0 8 * * *", "jitterMs": 2000})
		require.Equal(t, "2000-01-01T08:00:00Z", w.shown(s).Next.Format(time.RFC3339))
		require.Empty(t, w.after(8*time.Hour), "put off by chance")
		require.Equal(t, []string{"a.s0 2000-01-01T08:00:00 missed 0"}, w.after(time.Second))
		shown := w.shown(s)
		require.Equal(t, "run-1", shown.LastRunID)
		require.Equal(t, "2000-01-01T08:00:01Z", shown.LastFiredAt.Format(time.RFC3339))
		require.Len(t, w.after(72*time.Hour), 3)

		require.NoError(t, s.Deactivate(t.Context(), "a"))
		require.ErrorIs(t, s.Deactivate(t.Context(), "a"), store.ErrNotActive)
		require.Empty(t, w.after(72*time.Hour))
	})
}

func TestWhatWasMissed(t *testing.T) {
	for rule, want := range map[string][]string{
		"skip": {"a.s0 2000-01-04T08:00:00 missed 3"},
		"once": {"a.s0 2000-01-03T08:00:00 missed 2", "a.s0 2000-01-04T08:00:00 missed 0"},
		"all": {
			"a.s0 2000-01-01T08:00:00 missed 0", "a.s0 2000-01-02T08:00:00 missed 0",
			"a.s0 2000-01-03T08:00:00 missed 0", "a.s0 2000-01-04T08:00:00 missed 0",
		},
	} {
		t.Run(rule, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				s := w.open()
				w.activate(s, "a", store.Activation{}, record{"cron": "0 8 * * *", "missed": rule})
				s.Close()
				require.Empty(t, w.after(72*time.Hour))
				w.open()
				require.Equal(t, want, w.after(24*time.Hour))
			})
		})
	}
	t.Run("all is bounded", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			s := w.open()
			w.activate(s, "a", store.Activation{}, record{"every": "1m", "missed": "all"})
			s.Close()
			w.after(24 * time.Hour)
			s = w.open()
			w.after(time.Second)
			require.Len(t, w.started, 100)
			require.Equal(t, "a.s0 2000-01-01T22:21:00 missed 1340", w.started[0])
			require.Equal(t, 1340, w.shown(s).Missed)
		})
	})
	t.Run("a short pause is none", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			s := w.open()
			w.activate(s, "a", store.Activation{}, record{"cron": "0 8 * * *", "missed": "skip"})
			w.after(8*time.Hour - time.Second)
			s.Close()
			w.after(30 * time.Second)
			w.open()
			require.Equal(t, []string{"a.s0 2000-01-01T08:00:00 missed 0"}, w.startedAtOnce())
		})
	})
}

// startedAtOnce returns all that was started until now.
func (w *world) startedAtOnce() []string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.started...)
}

func TestOverlap(t *testing.T) {
	for rule, want := range map[string]struct{ running, after []string }{
		"skip":  {[]string{"a.s0 2000-01-01T00:01:00 missed 0"}, []string{"a.s0 2000-01-01T00:04:00 missed 2"}},
		"queue": {[]string{"a.s0 2000-01-01T00:01:00 missed 0"}, []string{"a.s0 2000-01-01T00:02:00 missed 0"}},
		"allow": {[]string{"a.s0 2000-01-01T00:01:00 missed 0", "a.s0 2000-01-01T00:02:00 missed 0"}, []string{"a.s0 2000-01-01T00:03:00 missed 0"}},
	} {
		t.Run(rule, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.patient = true
				s := w.open()
				w.activate(s, "a", store.Activation{}, record{"every": "1m", "overlap": rule})
				require.Equal(t, want.running, w.after(3*time.Minute+30*time.Second), "there are two places")
				w.finish(1, false)
				require.Equal(t, want.after, w.after(time.Minute))
			})
		})
	}
	t.Run("what waits is kept", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.patient = true
			s := w.open()
			w.activate(s, "a", store.Activation{}, record{"every": "1m", "until": "2000-01-01T00:04:00"})
			w.after(10 * time.Minute)
			require.Equal(t, 2, w.shown(s).Waiting)
			s.Close()
			w.after(72 * time.Hour)
			s = w.open()
			w.finish(1, false)
			require.Equal(t, []string{"a.s0 2000-01-01T00:01:00 missed 0", "a.s0 2000-01-01T00:02:00 missed 0"}, w.startedAtOnce())
			w.finish(2, false)
			w.finish(3, false)
			require.Len(t, w.startedAtOnce(), 3)
			require.Zero(t, w.shown(s).Waiting)
		})
	})
}

func TestPlaces(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.patient = true
		s := w.open()
		w.activate(s, "a", store.Activation{Concurrency: 1}, record{"every": "1m", "overlap": "allow"}, record{"every": "1m", "overlap": "allow"})
		require.Equal(t, []string{"a.s0 2000-01-01T00:01:00 missed 0"}, w.after(90*time.Second), "one, though there is a place for the other")
		w.activate(s, "b", store.Activation{}, record{"every": "1m", "overlap": "allow"})
		require.Equal(t, []string{"b.s0 2000-01-01T00:02:00 missed 0"}, w.after(time.Minute), "whose workflow has none")
		w.after(time.Minute)
		w.finish(1, false)
		require.Len(t, w.startedAtOnce(), 3)
	})
	inWorld(t, func(t *testing.T, w *world) { // somebody else has all places
		w.full = true
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1m"})
		require.Empty(t, w.after(90*time.Second))
		require.Equal(t, 1, w.shown(s).Waiting)
		w.set(func() { w.full = false })
		require.Len(t, w.after(time.Second), 1)
	})
}

func TestMovingAnActivation(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{Revision: 1}, record{"cron": "0 8 * * *", "jitterMs": 3600000})
		w.after(8*time.Hour + time.Minute)
		w.activate(s, "a", store.Activation{Revision: 2}, record{"cron": "0 * * * *"})
		require.Equal(t, []string{"a.s0 2000-01-01T08:00:00 missed 0", "a.s0 2000-01-01T09:00:00 missed 0"}, w.after(time.Hour),
			"what had come belongs to the first, the rest to the second, and nothing of the past comes")
		all, err := s.Activations(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, all[0].Revision)
		require.Equal(t, "2000-01-01T00:00:00Z", all[0].Since.Format(time.RFC3339))

		// Neither do times that the second would have had before.
		w.activate(s, "b", store.Activation{}, record{"cron": "30 9 * * *"})
		w.after(2 * time.Hour)
		w.activate(s, "b", store.Activation{}, record{"cron": "*/10 * * * *", "until": "2000-01-01T11:05:00"})
		require.Equal(t, []string{"a.s0 2000-01-01T12:00:00 missed 0"}, w.after(time.Hour))
		require.NoError(t, s.Deactivate(t.Context(), "b"))

		// A trigger that was away for days has missed nothing.
		w.activate(s, "a", store.Activation{}, record{"every": "24h"}, record{"every": "24h"})
		w.activate(s, "a", store.Activation{}, record{"every": "24h"})
		require.Len(t, w.after(72*time.Hour), 3)
		w.activate(s, "a", store.Activation{}, record{"every": "24h"}, record{"every": "24h"})
		require.Empty(t, w.after(time.Minute))
	})
}

func TestNothingRunsTwice(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		disk := &forgetful{ActivationStore: w.store, err: errFull}
		w.store = disk
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		require.Len(t, w.after(61*time.Minute), 1, "a run that is on its way, and nobody remembers it")
		require.Equal(t, "the state of the trigger cannot be saved; see the log of the service", w.shown(s).LastError)
		s.Close()
		disk.set(nil)
		s = w.open()
		require.Empty(t, w.after(time.Minute))
		require.Equal(t, []string{"run-1"}, sorted(w.byKey))
		require.Equal(t, "run-1", w.shown(s).LastRunID)
		require.Zero(t, w.shown(s).Waiting)
	})
}

func TestInterruptedRunsGoOn(t *testing.T) {
	for _, tt := range []struct {
		rule    run.OnInterrupted
		resumed int
	}{{run.Resume, 5}, {run.Leave, 0}} {
		inWorld(t, func(t *testing.T, w *world) {
			w.patient = true
			s := w.open()
			w.activate(s, "a", store.Activation{OnInterrupted: tt.rule}, record{"every": "1h", "until": "2000-01-01T02:00:00"})
			w.after(61 * time.Minute)
			for n := range 8 {
				s.Close()
				if n < len(w.runs) {
					w.finish(n+1, true)
				}
				s = w.open()
				w.after(time.Minute)
			}
			require.Equal(t, tt.resumed, w.resumed)
			require.Len(t, w.started, 1)
		})
	}
}

// After a crash between the save of a started run and its start on disk, the run is queued again
// at its former position.
func TestRunsThatHadNotBegun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.patient = true
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h", "overlap": "allow", "until": "2000-01-01T02:30:00"})
		begun := w.after(2*time.Hour + time.Minute)
		require.Len(t, begun, 2, "as many as there are slots")
		s.Close()
		w.set(func() {
			for _, id := range []string{"run-1", "run-2"} {
				w.waiting = append(w.waiting, trigger.Waiting{RunID: id, WorkflowID: "a", Node: "s0", Type: "trigger.schedule"})
			}
		})
		s = w.open()
		require.Equal(t, begun, w.after(time.Minute))
		w.finish(1, false)
		w.finish(2, false)
		s.Close()
		w.open()
		require.Empty(t, w.after(time.Minute), "they are done")
	})
}

func TestTheClockJumps(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "15m"})
		require.Len(t, w.after(61*time.Minute), 4)
		w.set(func() { w.ahead = 3 * time.Hour })
		require.Equal(t, []string{"a.s0 2000-01-01T04:00:00 missed 11"}, w.after(time.Minute), "no storm")
		require.Len(t, w.after(30*time.Minute), 2)
		w.set(func() { w.ahead = 0 })
		require.Len(t, w.after(61*time.Minute), 4, "nobody waits for the clock to catch up")
		require.Len(t, w.after(3*time.Hour), 12, "also where it has been before")
		w.set(func() { w.ahead = -5 * time.Second })
		require.Len(t, w.after(time.Hour), 4, "a correction")
		require.Equal(t, 11, w.shown(s).Missed)
	})
}

func TestOneProcessLetsTriggersFire(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		first := w.open()
		w.activate(first, "a", store.Activation{}, record{"every": "1h"})
		second := w.open()
		all, err := second.Activations(t.Context())
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.True(t, all[0].Elsewhere)
		require.ErrorIs(t, second.Deactivate(t.Context(), "a"), store.ErrArmedElsewhere)
		_, err = second.Activate(t.Context(), store.Activation{}, nil)
		require.ErrorIs(t, err, store.ErrArmedElsewhere)
		require.Len(t, w.after(61*time.Minute), 1)

		first.Close()
		w.after(5 * time.Second)
		all, err = second.Activations(t.Context())
		require.NoError(t, err)
		require.False(t, all[0].Elsewhere)
		require.Len(t, w.after(time.Hour), 1)
	})
}

var _ trigger.Host = (*world)(nil)
