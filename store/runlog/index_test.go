package runlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svcflow/svc/store/runlog"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

// longEvents are of a run that goes on for long, with a large value now and then.
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

// longRuns leaves runs in a directory that have not ended, and whose frames stand in many
// segments between each other's, and one that has.
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

// awaitSidecars waits until all segments have theirs but those near the end of the log.
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

// Segments get their segment indexes also if no run begins or ends for long, and these have no more to
// say the longer the runs are: so a start reads little of what was left unfinished.
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

// What is known of runs that stand in many segments is the same with segment indexes, without, and
// with some of them.
func TestSidecarsOfLongRuns(t *testing.T) {
	const runs, count = 3, 120
	for _, without := range []int{0, 1, 2, 3} { // every so many is not there
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

		remove(1) // others, of which the last line of the run says that they know the rest
		s = openSmall(t, dir, store.Retention{})
		ids, err = s.Unfinished(t.Context())
		require.NoError(t, err)
		require.Len(t, ids, runs-1)
		require.Equal(t, last, frames(t, s, 0)[count])
		requireFirst(t, s, 0, longEvents(0, count))
		requireEvents(t, s, 1, longEvents(1, count))
		remove(0)
		requireFirst(t, s, 0, longEvents(0, count))
		for _, n := range []int{0, runs} { // nothing of them is left over
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

// A store that is closed leaves to the next start nothing to read but the end of the log.
func TestClosedRunsLeaveSidecars(t *testing.T) {
	dir := t.TempDir()
	s := openSmall(t, dir, store.Retention{})
	for n := 0; len(segments(t, dir)) < 4; n++ {
		endRun(t, s, n)
	}
	require.NoError(t, s.Close())
	require.Len(t, sidecars(t, dir), 3)
}
