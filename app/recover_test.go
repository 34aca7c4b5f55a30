package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/runlog"
)

// unfinished leaves n unfinished runs in a directory, each with an output of the given size, after
// ended runs of before bytes in total.
func unfinished(t testing.TB, dir string, n, bytes, before int) {
	t.Helper()
	runs, err := runlog.Open(dir, runlog.Options{Relaxed: true})
	require.NoError(t, err)
	def, err := workflow.Decode([]byte(greet), workflow.DefaultLimits())
	require.NoError(t, err)
	document := run.NewDocument(def, nil)
	begin := func(i int) store.Journal {
		id := fmt.Sprintf("01990000-0000-7000-8000-%012d", i)
		j, err := runs.Create(t.Context(), run.Start{RunID: id, StartedAt: time.Now().UTC(), Definition: def, Document: document})
		require.NoError(t, err)
		return j
	}
	tell := func(j store.Journal, e engine.Event, c *run.Encoder) {
		kept, _ := c.Frame(&e)
		require.NoError(t, j.Append(kept))
	}
	for i := 0; before > 0; i++ {
		const most = 64 << 20
		size := min(before, most)
		before -= size
		c, j := &run.Encoder{}, begin(n+i)
		tell(j, engine.Event{Name: engine.EventNode, Seq: 1, NodeID: "in", Status: engine.StatusSucceeded, Outputs: map[string]any{"value": strings.Repeat(string(rune('A'+i%26)), size)}}, c)
		tell(j, engine.Event{Name: engine.EventCompleted, Seq: 2, Result: &engine.Result{Status: engine.StatusCompleted}}, c)
	}
	for i := range n {
		c, j := &run.Encoder{}, begin(i)
		tell(j, engine.Event{Name: engine.EventStarted, Seq: 1, WorkflowID: "greet"}, c)
		outputs := map[string]any{"value": strings.Repeat("x", bytes)}
		tell(j, engine.Event{Name: engine.EventNode, Seq: 2, NodeID: "in", Status: engine.StatusSucceeded, Outputs: outputs}, c)
	}
	require.NoError(t, runs.Close())
}

// Thousands of runs that have not ended are brought to their end together, and never are all
// of them in memory.
func TestRecoveryOfManyRuns(t *testing.T) {
	const n = 2000
	dir := t.TempDir()
	unfinished(t, dir, n, 60_000, 0) // 120 MB, if they were all there
	var a *App
	grown := peak(func() {
		runs, err := runlog.Open(dir, runlog.Options{Relaxed: true})
		require.NoError(t, err)
		a = newTestApp(t, Config{Runs: runs})
		require.NoError(t, a.Recover(t.Context()))
	})
	require.Less(t, grown, uint64(64<<20))
	page, err := a.Runs(t.Context(), run.Query{Status: engine.StatusRunning})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	record, err := a.Run(t.Context(), fmt.Sprintf("01990000-0000-7000-8000-%012d", n-1))
	require.NoError(t, err)
	require.Equal(t, node.CodeInterrupted, record.Result.Error.Code)
	require.Len(t, record.Result.Nodes["in"].Outputs["value"], 60_000)
	require.NoError(t, a.Close(t.Context()))
}

// readings are journals that count how often their frames are read, and runs ended. They may
// refuse to end some together.
type readings struct {
	*runlog.Store

	n, finished atomic.Int32
	refuse      func(runID string) error
}

func (r *readings) Finish(ctx context.Context, lasts []store.Last) []error {
	r.finished.Add(1)
	if r.refuse == nil {
		return r.Store.Finish(ctx, lasts)
	}
	errs := make([]error, len(lasts))
	for i := range lasts {
		if errs[i] = r.refuse(lasts[i].RunID); errs[i] == nil {
			errs[i] = errors.Join(r.Store.Finish(ctx, lasts[i:i+1])...)
		}
	}
	return errs
}

func (r *readings) Frames(ctx context.Context, runID string, after, bytes int) ([]run.Frame, error) {
	r.n.Add(1)
	return r.Store.Frames(ctx, runID, after, bytes)
}

// Ending an unfinished run reads only the last frame of its journal. The outcomes of its nodes are
// read on demand.
func TestRecoveryReadsOneFrame(t *testing.T) {
	const n = 20
	dir := t.TempDir()
	unfinished(t, dir, n, 1000, 0)
	kept, err := runlog.Open(dir, runlog.Options{Relaxed: true})
	require.NoError(t, err)
	runs := &readings{Store: kept}
	a := newTestApp(t, Config{Runs: runs})
	require.NoError(t, a.Recover(t.Context()))
	require.EqualValues(t, n, runs.n.Load(), "its last frame, however many there are")
	require.EqualValues(t, 1, runs.finished.Load(), "all at once")
	frames, err := a.Follow(t.Context(), "01990000-0000-7000-8000-000000000000", 0)
	require.NoError(t, err)
	last := run.Frame{}
	for err == nil {
		var batch []run.Frame
		if batch, err = frames.Next(t.Context()); err == nil {
			last = batch[len(batch)-1]
		}
	}
	require.ErrorIs(t, err, io.EOF)
	require.True(t, last.Name.Terminal())
	require.Contains(t, string(last.Data), strings.Repeat("x", 1000), "the outputs of the nodes")
}

// A run whose end cannot be written with those of others gets it alone.
func TestRecoveryEndsAlone(t *testing.T) {
	const n = 20
	dir := t.TempDir()
	unfinished(t, dir, n, 1000, 0)
	kept, err := runlog.Open(dir, runlog.Options{Relaxed: true})
	require.NoError(t, err)
	runs := &readings{Store: kept, refuse: func(runID string) error {
		if strings.HasSuffix(runID, "7") {
			return syscall.EIO
		}
		return nil
	}}
	a := newTestApp(t, Config{Runs: runs})
	require.NoError(t, a.Recover(t.Context()))
	for i := range n {
		record, err := a.Run(t.Context(), fmt.Sprintf("01990000-0000-7000-8000-%012d", i))
		require.NoError(t, err)
		require.Equal(t, node.CodeInterrupted, record.Result.Error.Code)
		require.Len(t, record.Result.Nodes["in"].Outputs["value"], 1000)
	}
}

// BenchmarkRecovery starts where runs have not ended, behind SVC_JOURNALS GB of others.
func BenchmarkRecovery(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchmarkRecovery(b, n) })
	}
}

func benchmarkRecovery(b *testing.B, n int) {
	b.Helper()
	gigabytes, _ := strconv.Atoi(os.Getenv("SVC_JOURNALS"))
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		unfinished(b, dir, n, 1000, gigabytes<<30)
		b.StartTimer()
		var ready, all time.Duration
		grown := peak(func() {
			began := time.Now()
			runs, err := runlog.Open(dir, runlog.Options{})
			require.NoError(b, err)
			a, err := New(Config{Runs: runs})
			require.NoError(b, err)
			ready = time.Since(began)
			require.NoError(b, a.Recover(b.Context()))
			all = time.Since(began)
			b.StopTimer()
			require.NoError(b, a.Close(b.Context()))
		})
		b.ReportMetric(ready.Seconds(), "ready-s")
		b.ReportMetric(all.Seconds(), "recovered-s")
		b.ReportMetric(float64(grown>>20), "MB")
		require.NoError(b, os.RemoveAll(dir))
		b.StartTimer()
	}
}
