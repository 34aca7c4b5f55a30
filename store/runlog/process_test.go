//go:build unix

package runlog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/selfexec"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

func TestMain(m *testing.M) {
	selfexec.Main(m, map[string]func(dir, name string) error{"run": startRuns})
}

const killedFrames = 12 // frames of a run that is not killed

// startRuns ends the runs that an earlier process left, then starts runs one after the other until
// it is killed. It prints "run frame" for each frame that was written; the start of a run counts as
// frame 0.
func startRuns(dir, _ string) error {
	ctx := context.Background()
	s, err := runlog.Open(dir, runlog.Options{Keep: store.Retention{Runs: 50}})
	if err != nil {
		return err
	}
	left, err := s.Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, id := range left {
		if err := interrupt(ctx, s, id); err != nil {
			return err
		}
	}
	page, err := s.Records(ctx, run.Query{Limit: 1})
	if err != nil {
		return err
	}
	n := 0
	if len(page.Items) > 0 {
		n = numberOf(page.Items[0].RunID) + 1
	}
	for ; ; n++ {
		if err := startRun(ctx, s, n); err != nil {
			return err
		}
	}
}

// numberOf is the inverse of storetest.RunID.
func numberOf(runID string) (n int) {
	_, err := fmt.Sscanf(runID[strings.LastIndexByte(runID, '-')+1:], "%d", &n)
	if err != nil {
		panic(err)
	}
	return n
}

func interrupt(ctx context.Context, s *runlog.Store, id string) error {
	j, err := s.Reopen(ctx, id)
	if err != nil {
		return err
	}
	frames, err := s.Frames(ctx, id, 0, 1<<30)
	if err != nil {
		return err
	}
	n := numberOf(id)
	if err := j.Append(storetest.LastFrame(n, len(frames)+1, engine.StatusFailed)); err != nil {
		return err
	}
	fmt.Println(n, len(frames)+1)
	return nil
}

func startRun(ctx context.Context, s *runlog.Store, n int) error {
	j, err := s.Create(ctx, storetest.RunStart(n))
	if err != nil {
		return err
	}
	fmt.Println(n, 0)
	for seq := 1; seq < killedFrames; seq++ {
		if err := j.Append(killedFrame(n, seq)); err != nil {
			return err
		}
		fmt.Println(n, seq)
	}
	if err := j.Append(storetest.LastFrame(n, killedFrames, engine.StatusCompleted)); err != nil {
		return err
	}
	fmt.Println(n, killedFrames)
	return nil
}

// killedFrame returns a frame; its size grows with seq to the fourth power.
func killedFrame(n, seq int) run.Frame {
	return storetest.Frame(seq, strings.Repeat(string(rune('a'+n%26)), seq*seq*seq*seq))
}

// TestKilledWhileRunning kills a process at random times. All frames that it acknowledged are
// there, no frame is torn, and the next process can write.
func TestKilledWhileRunning(t *testing.T) {
	dir, random := t.TempDir(), trials.Random(t)
	known := map[int]int{} // run → last acknowledged frame
	var slowest time.Duration
	for range trials.Count(t, trials.Kills, 20) {
		c := selfexec.Start(t, "run", dir, "")
		var lines []string
		for range 1 + random.IntN(3*killedFrames) {
			line, ok := c.Line()
			require.True(t, ok)
			lines = append(lines, line)
		}
		for _, line := range append(lines, c.KillSoon(t, random)...) {
			var n, seq int
			_, err := fmt.Sscan(line, &n, &seq)
			require.NoError(t, err)
			known[n] = seq
		}
		began := time.Now()
		s := openRuns(t, dir, store.Retention{Runs: 50})
		slowest = max(slowest, time.Since(began))
		checkKilledRuns(t, s, known)
		require.NoError(t, s.Close())
	}
	t.Logf("slowest start after a crash: %v", slowest)
}

func checkKilledRuns(t *testing.T, s *runlog.Store, known map[int]int) {
	t.Helper()
	page, err := s.Records(t.Context(), run.Query{Limit: 500})
	require.NoError(t, err)
	require.LessOrEqual(t, len(page.Items), 51, "the one that was created last may not have made room")
	kept := map[int]bool{}
	for _, r := range page.Items {
		n := numberOf(r.RunID)
		kept[n] = true
		got := frames(t, s, n)
		require.GreaterOrEqual(t, len(got), known[n])
		require.LessOrEqual(t, len(got), known[n]+2, "a frame, and one after it, may have been written without being acknowledged")
		for i, f := range got {
			if !f.Name.Terminal() {
				require.Equal(t, killedFrame(n, i+1), f)
			}
		}
		terminal := len(got) > 0 && got[len(got)-1].Name.Terminal()
		require.Equal(t, terminal, r.Status != engine.StatusRunning)
		start, err := s.Start(t.Context(), r.RunID)
		require.NoError(t, err)
		require.Equal(t, storetest.RunStart(n).StartedAt, start.StartedAt)
	}
	newest := numberOf(page.Items[0].RunID)
	for n := range known {
		require.True(t, kept[n] || n < newest-48, "run %d is gone, the newest is %d", n, newest)
	}
}
