package e2e

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// TestDriversThatAreKilled kills the worker that drives runs, repeatedly.
func TestDriversThatAreKilled(t *testing.T) {
	t.Parallel()
	const atOnce = 4
	kills := trials.Of(t, 3, 100)
	w := newWorld(t)
	workers := []*process{w.worker(), w.worker()}
	var all []string
	var takeovers []time.Duration
	random := trials.Random(t)
	for range kills {
		ids := make([]string, atOnce)
		for i := range ids {
			ids[i] = w.begin()
		}
		all = append(all, ids...)
		at := random.IntN(stepsOfRun/2) + 1
		w.until(2*time.Minute, "the runs are under way", func() bool {
			for _, c := range w.changes(ids) {
				if c.Frames < at {
					return false
				}
			}
			return true
		})
		victim := workers[0]
		before := w.changes(ids)
		victim.kill()
		killed := time.Now()
		for id, c := range before {
			if c.Driver != victim.name {
				continue
			}
			w.until(time.Minute, "somebody has taken the run over", func() bool {
				now := w.changes([]string{id})[id]
				return now.Driver != victim.name && now.Frames > c.Frames
			})
			takeovers = append(takeovers, time.Since(killed))
		}
		workers = append(workers[1:], w.worker())
		for id, status := range w.ended(ids, time.Minute) {
			require.Equal(t, engine.StatusCompleted, status, id)
		}
	}
	begun := w.begins()
	again := 0
	for _, id := range all {
		w.dense(id)
		for step, times := range begun[id] {
			require.LessOrEqual(t, times, 2, "step %d of run %s", step, id)
			again += times - 1
		}
	}
	require.NotEmpty(t, takeovers, "no run was taken over")
	require.LessOrEqual(t, again, len(takeovers), "of each run that was taken over one step was in flight")
	slices.Sort(takeovers)
	t.Logf("%d kills, %d runs, %d taken over: p50 %s, p95 %s; %d steps began twice", kills, len(all), len(takeovers),
		takeovers[len(takeovers)/2].Round(time.Millisecond), takeovers[len(takeovers)*95/100].Round(time.Millisecond), again)
	require.LessOrEqual(t, takeovers[len(takeovers)*95/100], time.Minute, "15 s are asked of a machine that does nothing else")
}

// TestTemporalIsAway kills Temporal while runs are driven, and starts other runs meanwhile.
func TestTemporalIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.worker()
	w.worker()
	lengths := []time.Duration{2 * time.Second, 10 * time.Second, time.Minute}
	for n := range trials.Of(t, 2, 20) {
		away := lengths[n%len(lengths)]
		driven := []string{w.begin(), w.begin()}
		w.until(2*time.Minute, "the runs are under way", func() bool {
			for _, c := range w.changes(driven) {
				if c.Frames < 2 {
					return false
				}
			}
			return true
		})
		w.temporal.kill()
		killed := time.Now()
		begun := []string{w.begin(), w.begin(), w.begin()}
		w.ended(driven, 30*time.Second)
		t.Logf("away for %s: what was driven ended after %s", away, time.Since(killed).Round(time.Millisecond))
		<-time.After(away - time.Since(killed))
		w.startTemporal()
		back := time.Now()
		w.until(2*time.Minute, "what was started meanwhile is under way", func() bool {
			for _, c := range w.changes(begun) {
				if c.Frames == 0 {
					return false
				}
			}
			return true
		})
		t.Logf("away for %s: what was started meanwhile began %s after its return", away, time.Since(back).Round(time.Millisecond))
		w.ended(begun, 30*time.Second)
		for _, id := range append(driven, begun...) {
			w.dense(id)
			for step, times := range w.begins()[id] {
				require.Equal(t, 1, times, "step %d of run %s", step, id)
			}
		}
	}
}

// TestWorkersHandOver stops workers, one after the other, while they drive runs.
func TestWorkersHandOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	workers := []*process{w.worker(), w.worker()}
	for range trials.Of(t, 3, 20) {
		ids := []string{w.begin(), w.begin(), w.begin(), w.begin()}
		w.until(2*time.Minute, "the runs are under way", func() bool {
			for _, c := range w.changes(ids) {
				if c.Frames < 2 {
					return false
				}
			}
			return true
		})
		leaves := workers[0]
		require.NoError(t, leaves.Process.Signal(syscall.SIGTERM))
		told := time.Now()
		w.until(2*time.Minute, "others drive all runs", func() bool {
			for _, c := range w.changes(ids) {
				if c.Status == engine.StatusRunning && (c.Driver == leaves.name || c.Driver == "") {
					return false
				}
			}
			return true
		})
		t.Logf("handed over within %s", time.Since(told).Round(time.Millisecond))
		require.NoError(t, leaves.Wait())
		workers = append(workers[1:], w.worker())
		for id, status := range w.ended(ids, time.Minute) {
			require.Equal(t, engine.StatusCompleted, status)
			w.dense(id)
		}
	}
}

// TestATaskThatAnOperatorEnds terminates the Temporal workflow of a run.
func TestATaskThatAnOperatorEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.begin()
	w.until(2*time.Minute, "there is a task", func() bool {
		return w.client.TerminateWorkflow(t.Context(), id, "", "") == nil
	})
	require.Equal(t, engine.StatusFailed, w.ended([]string{id}, time.Minute)[id])
}
