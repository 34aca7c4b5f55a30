package runlog_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// TestWaitsAreShared checks that concurrent runs share syncs. It counts the syncs per run,
// including those for starting the store and its segments. On a slow machine a goroutine may miss a
// round and wait for the next; the optimum is an eighth, or a 64th, of two syncs per run. A relaxed
// log syncs by time, whatever the load.
func TestWaitsAreShared(t *testing.T) {
	for _, test := range []struct {
		at, runs int
		most     float64 // syncs per run
		relaxed  bool
	}{{1, 100, 2.1, false}, {8, 400, 1, false}, {64, 1500, 0.7, false}, {1, 400, 1, true}} {
		t.Run(fmt.Sprint(test.at, " relaxed ", test.relaxed), func(t *testing.T) {
			d := &vfstest.Slow{}
			s, err := runlog.OpenRuns(t.TempDir(), runlog.Options{Relaxed: test.relaxed, Keep: store.Retention{Runs: 100}}, d)
			require.NoError(t, err)
			endRun(t, s, test.runs)
			d.Syncs.Store(0)
			var next atomic.Int64
			var group sync.WaitGroup
			for range test.at {
				group.Go(func() {
					for n := int(next.Add(1)) - 1; n < test.runs; n = int(next.Add(1)) - 1 {
						endRun(t, s, n)
					}
				})
			}
			group.Wait()
			perRun := float64(d.Syncs.Load()) / float64(test.runs)
			t.Logf("%.2f waits for the disk per run", perRun)
			require.LessOrEqual(t, perRun, test.most)
			require.NoError(t, s.Close())
		})
	}
}

// TestRelaxedSurvivesTheProcess checks that a relaxed log survives the death of the process.
func TestRelaxedSurvivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	s, err := runlog.Open(dir, runlog.Options{Relaxed: true})
	require.NoError(t, err)
	j, err := s.Create(t.Context(), storetest.RunStart(1))
	require.NoError(t, err)
	require.NoError(t, j.Append(storetest.LastFrame(1, 1, engine.StatusCompleted)))
	s = reopenCrashed(t, s, dir)
	require.Len(t, frames(t, s, 1), 1)
}
