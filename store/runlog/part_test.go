package runlog_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// pausingRuns leaves unfinished runs. In each round, which fills at least one segment, only those
// runs write frames for which writes is true. It returns the events of each run.
func pausingRuns(t *testing.T, dir string, rounds int, writes [][]bool) [][]engine.Event {
	t.Helper()
	s := openSmall(t, dir, store.Retention{})
	journals, encoders, wrote := createRuns(t, s, len(writes)), make([]run.Encoder, len(writes)), make([][]engine.Event, len(writes))
	const frames = 80 // per round, of a few thousand bytes each
	for round := range rounds {
		for range frames {
			for n, pattern := range writes {
				if !pattern[round%len(pattern)] {
					continue
				}
				events := longEvents(n, len(wrote[n])+1)
				e := events[len(events)-1]
				wrote[n] = append(wrote[n], e)
				f, _ := encoders[n].Frame(&e)
				require.NoError(t, journals[n].Append(f))
			}
		}
	}
	awaitSidecars(t, dir)
	require.NoError(t, s.Close())
	return wrote
}

// TestRunsThatPauseAreReadFromSidecars checks that runs that skip segments are read completely
// before and after they end, with all and with some segment indexes, and that their disk space is
// freed.
func TestRunsThatPauseAreReadFromSidecars(t *testing.T) {
	for without := range 3 { // every (without+1)-th index is removed; 0 removes none
		dir := t.TempDir()
		wrote := pausingRuns(t, dir, 12, [][]bool{{true}, {true, true, false, false}, {true, false, false, false, false, true}})
		for i, name := range sidecars(t, dir) {
			if without > 0 && i%(without+1) == 0 {
				require.NoError(t, os.Remove(name))
			}
		}
		before := onDisk(t, dir)
		s := openSmall(t, dir, store.Retention{})
		for n, events := range wrote {
			requireEvents(t, s, n, events)
			last := storetest.LastFrame(n, len(events)+1, engine.StatusFailed)
			require.Nil(t, s.Finish(t.Context(), []store.Last{{RunID: storetest.RunID(n), Frame: last}}))
			requireFirst(t, s, n, events)
		}
		require.NoError(t, s.Close())
		for i, name := range sidecars(t, dir) {
			if without > 0 && i%(without+1) == 1 {
				require.NoError(t, os.Remove(name))
			}
		}
		s = openSmall(t, dir, store.Retention{})
		for n, events := range wrote {
			requireFirst(t, s, n, events)
			require.NoError(t, s.Delete(t.Context(), storetest.RunID(n)))
		}
		require.Eventually(t, func() bool { return onDisk(t, dir) < before/2 }, time.Minute, 5*time.Millisecond)
		require.NoError(t, s.Close())
	}
}

// TestSegmentsOfUnfinishedRunsTakeNoMemory checks that the memory of a start does not depend on the
// number of segments of unfinished runs, with segment indexes and without.
func TestSegmentsOfUnfinishedRunsTakeNoMemory(t *testing.T) {
	const runs, few, many = 100, 20, 400
	var took, unknown, stood [2]int64
	for i, frames := range []int{few, many} {
		dir := t.TempDir()
		s, err := runlog.OpenRuns(dir, runlog.Segments(runlog.Options{}, 32<<10), unsynced{})
		require.NoError(t, err)
		journals := createRuns(t, s, runs)
		for seq := 1; seq <= frames; seq++ {
			for _, j := range journals {
				require.NoError(t, j.Append(storetest.Frame(seq, fmt.Sprintf("%200d", seq))))
			}
		}
		awaitSidecars(t, dir)
		require.NoError(t, s.Close())
		took[i], stood[i] = alive(t, dir), int64(len(segments(t, dir)))
		for _, name := range sidecars(t, dir) {
			require.NoError(t, os.Remove(name))
		}
		unknown[i] = alive(t, dir)
	}
	require.Greater(t, stood[1], 10*stood[0])
	most := 8 * runs * (stood[1] - stood[0])
	require.Less(t, took[1]-took[0], most, "bytes; where a run is in a segment takes 24, and how much of it 16")
	require.Less(t, unknown[1]-unknown[0], most, "the same where nothing told what a segment has")
}
