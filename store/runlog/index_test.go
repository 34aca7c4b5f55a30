package runlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// longEvents are events of a long run; some have a large value.
func longEvents(n, count int) []engine.Event {
	events := make([]engine.Event, count)
	for i := range events {
		text := strings.Repeat(fmt.Sprint(n, i), 100)
		if i%5 == 0 {
			text = strings.Repeat(text, 10)
		}
		events[i] = engine.Event{
			Name: engine.EventNode, Seq: i + 1, RunID: storetest.RunID(n), Time: storetest.Epoch(), NodeID: fmt.Sprint("n", i),
			Status: engine.StatusSucceeded, Outputs: map[string]any{"text": text}, Attempts: 1,
		}
	}
	return events
}

// longRuns leaves unfinished runs in a directory, whose frames alternate in many segments, and one
// run that has ended.
func longRuns(t *testing.T, dir string, runs, count int) { //nolint:unparam // tests name how many there are
	t.Helper()
	s := openSmall(t, dir, store.Retention{})
	journals := make([]store.Journal, runs+1)
	encoders := make([]run.Encoder, runs+1)
	var events [][]engine.Event
	for n := range journals {
		j, err := s.Create(t.Context(), storetest.RunStart(n))
		require.NoError(t, err)
		journals[n] = j
		events = append(events, longEvents(n, count))
	}
	for i := range count {
		for n, j := range journals {
			if n < runs || i < count/2 {
				kept, _ := encoders[n].Frame(&events[n][i])
				require.NoError(t, j.Append(kept))
			}
		}
		if i == count/2 {
			require.NoError(t, journals[runs].Append(storetest.LastFrame(runs, count/2+1, engine.StatusCompleted)))
		}
	}
	awaitSidecars(t, dir)
	require.NoError(t, s.Close())
}

func sidecars(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.index"))
	require.NoError(t, err)
	return names
}

// awaitSidecars waits until all segments but the last three have an index.
func awaitSidecars(t *testing.T, dir string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(sidecars(t, dir)) >= len(segments(t, dir))-3 }, time.Minute, time.Millisecond)
}

func segments(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "log-????????"))
	require.NoError(t, err)
	return names
}

func bytesOf(t *testing.T, names []string) (all int64) {
	t.Helper()
	for _, name := range names {
		info, err := os.Stat(name)
		require.NoError(t, err)
		all += info.Size()
	}
	return all
}

// TestLongRunsHaveShortSidecars checks that segments get an index even if no run begins or ends for
// long, and that the indexes do not grow with the length of the runs.
func TestLongRunsHaveShortSidecars(t *testing.T) {
	var perSegment [2]float64
	for i, count := range []int{200, 600} {
		dir := t.TempDir()
		longRuns(t, dir, 3, count)
		names := sidecars(t, dir)
		require.Greater(t, len(names), 10)
		perSegment[i] = float64(bytesOf(t, names)) / float64(len(names))
		d := &countingDisk{}
		s, err := runlog.OpenRuns(dir, runlog.Options{}, d)
		require.NoError(t, err)
		require.Less(t, d.bytes.Load(), 4*int64(smallSegment)+bytesOf(t, names), "the sidecars, and the last segments")
		require.NoError(t, s.Close())
	}
	require.Less(t, perSegment[1], 1.5*perSegment[0])
}

// TestSidecarsOfLongRuns checks that long unfinished runs load the same with segment indexes,
// without them, and with some of them.
func TestSidecarsOfLongRuns(t *testing.T) {
	const runs, count = 3, 120
	for _, without := range []int{0, 1, 2, 3} { // every without-th index is removed; 0 removes none
		dir := t.TempDir()
		longRuns(t, dir, runs, count)
		remove := func(from int) {
			for i, name := range sidecars(t, dir) {
				if without > 0 && (i+from)%without == 0 {
					require.NoError(t, os.Remove(name))
				}
			}
		}
		remove(0)
		s := openSmall(t, dir, store.Retention{})
		ids, err := s.Unfinished(t.Context())
		require.NoError(t, err)
		require.Len(t, ids, runs)
		for n := range runs {
			requireEvents(t, s, n, longEvents(n, count))
		}
		require.Len(t, frames(t, s, runs), count/2+1)
		last := storetest.LastFrame(0, count+1, engine.StatusFailed)
		require.Nil(t, s.Finish(t.Context(), []store.Last{{RunID: storetest.RunID(0), Frame: last}}))
		requireFirst(t, s, 0, longEvents(0, count))
		require.NoError(t, s.Close())

		remove(1) // removes others, so that end lines refer to missing indexes
		s = openSmall(t, dir, store.Retention{})
		ids, err = s.Unfinished(t.Context())
		require.NoError(t, err)
		require.Len(t, ids, runs-1)
		require.Equal(t, last, frames(t, s, 0)[count])
		requireFirst(t, s, 0, longEvents(0, count))
		requireEvents(t, s, 1, longEvents(1, count))
		remove(0)
		requireFirst(t, s, 0, longEvents(0, count))
		for _, n := range []int{0, runs} { // leave nothing behind
			require.NoError(t, s.Delete(t.Context(), storetest.RunID(n)))
		}
		require.NoError(t, s.Close())
		s = openSmall(t, dir, store.Retention{})
		page, err := s.Records(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, runs-1)
		requireEvents(t, s, 2, longEvents(2, count))
		require.NoError(t, s.Close())
	}
}

// TestClosedRunsLeaveSidecars checks that after Close, the next start scans only the last segment.
func TestClosedRunsLeaveSidecars(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir, store.Retention{})
	for n := 0; len(segments(t, dir)) < 4; n++ {
		endRun(t, s, n)
	}
	require.NoError(t, s.Close())
	require.Len(t, sidecars(t, dir), 3)
}
