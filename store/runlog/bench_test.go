package runlog_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// BenchmarkRunAppend appends frames of 300 bytes.
func BenchmarkRunAppend(b *testing.B) {
	s := openRuns(b, b.TempDir(), store.Retention{})
	j, err := s.Create(b.Context(), storetest.RunStart(1))
	require.NoError(b, err)
	message := strings.Repeat("x", 280)
	seq := 0
	b.ReportAllocs()
	for b.Loop() {
		seq++
		require.NoError(b, j.Append(run.Frame{Seq: seq, Name: engine.EventProgress, Data: []byte(message)}))
	}
}

// BenchmarkRunLife starts and ends a run, which waits for the disk three times.
func BenchmarkRunLife(b *testing.B) {
	s := openRuns(b, b.TempDir(), store.Retention{Runs: 100})
	n := 0
	for b.Loop() {
		n++
		j, err := s.Create(b.Context(), storetest.RunStart(n))
		require.NoError(b, err)
		require.NoError(b, j.Append(storetest.LastFrame(n, 1, engine.StatusCompleted)))
	}
}

// BenchmarkRunLives is BenchmarkRunLife with ten runs at a time.
func BenchmarkRunLives(b *testing.B) {
	s := openRuns(b, b.TempDir(), store.Retention{Runs: 100})
	b.SetParallelism(5)
	ids := make(chan int)
	go func() {
		for n := range b.N {
			ids <- n
		}
	}()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := <-ids
			j, err := s.Create(b.Context(), storetest.RunStart(n))
			require.NoError(b, err)
			require.NoError(b, j.Append(storetest.LastFrame(n, 1, engine.StatusCompleted)))
		}
	})
}

// BenchmarkRunOpen opens a directory with 10,000 runs of ten frames; one run is unfinished.
func BenchmarkRunOpen(b *testing.B) {
	dir := b.TempDir()
	fillRuns(b, dir, 10_000)
	for b.Loop() {
		s := openRuns(b, dir, store.DefaultRetention())
		b.StopTimer()
		require.NoError(b, s.Close())
		b.StartTimer()
	}
}

// BenchmarkRunReplay measures a late subscriber that reads 1,000 frames, ten at a time.
func BenchmarkRunReplay(b *testing.B) {
	s := openRuns(b, b.TempDir(), store.Retention{})
	j, err := s.Create(b.Context(), storetest.RunStart(1))
	require.NoError(b, err)
	for seq := 1; seq <= 1000; seq++ {
		require.NoError(b, j.Append(storetest.Frame(seq, strings.Repeat("x", 270))))
	}
	for b.Loop() {
		for seq := 0; seq < 1000; {
			frames, err := s.Frames(b.Context(), storetest.RunID(1), seq, 3000)
			require.NoError(b, err)
			seq += len(frames)
		}
	}
}

// unsynced is a disk whose Sync does nothing.
type unsynced struct{ vfs.OS }

type unsyncedFile struct{ vfs.File }

func (d unsynced) Open(name string, flag int) (vfs.File, error) {
	f, err := d.OS.Open(name, flag)
	return unsyncedFile{File: f}, err
}

func (unsynced) SyncDir(string) error { return nil }
func (unsyncedFile) Sync() error      { return nil }

// fillRuns records runs of ten frames. All but the last have ended.
func fillRuns(t testing.TB, dir string, runs int) {
	s, err := runlog.OpenRuns(dir, runlog.Options{}, unsynced{})
	require.NoError(t, err)
	for n := range runs {
		j, err := s.Create(t.Context(), storetest.RunStart(n))
		require.NoError(t, err)
		for seq := 1; seq < 10; seq++ {
			require.NoError(t, j.Append(storetest.Frame(seq, strings.Repeat("x", 270))))
		}
		if n < runs-1 {
			require.NoError(t, j.Append(storetest.LastFrame(n, 10, engine.StatusCompleted)))
		}
	}
	require.NoError(t, s.Close())
}

// benchOutcome is the outcome of a run of one node.
type benchOutcome struct {
	result *engine.Result
	text   []byte
}

func (o benchOutcome) ID() string             { return o.result.RunID }
func (o benchOutcome) Status() engine.Status  { return o.result.Status }
func (o benchOutcome) FinishedAt() time.Time  { return o.result.FinishedAt }
func (o benchOutcome) Ended() int             { return len(o.result.Order) }
func (o benchOutcome) Err() *engine.Failure   { return nil }
func (o benchOutcome) Result() *engine.Result { return o.result }
func (o benchOutcome) AppendBrief(dst []byte, _ int) ([]byte, bool) {
	return append(dst, o.text...), true
}

// BenchmarkRunKeep records runs of one node that have already ended, 256 in a call. Retention keeps
// 10,000. The time is per run.
func BenchmarkRunKeep(b *testing.B) {
	s := openRuns(b, b.TempDir(), store.DefaultRetention())
	document := run.NewDocument(storetest.Definition("w", "one"), nil)
	events := valuesOf(0, "short")
	result := *events[3].Result
	text, _ := result.AppendBrief(nil, limit.DedupThreshold)
	ended := make([]run.Kept, 256)
	start := storetest.RunStart(1)
	start.Document = document
	b.ReportAllocs()
	for n := 0; n < b.N; n += len(ended) {
		for i := range ended {
			start.RunID = storetest.RunID(n + i)
			start.StartedAt = start.StartedAt.Add(time.Second)
			one := result
			one.RunID, one.FinishedAt = start.RunID, start.StartedAt
			ended[i] = run.Kept{Start: start, Outcome: benchOutcome{result: &one, text: text}}
		}
		require.Empty(b, s.Keep(b.Context(), ended))
	}
	require.NoError(b, s.Close())
}

// BenchmarkRunsMany measures opening 100,000 recorded runs, the memory of the index, and one page
// of the list.
func BenchmarkRunsMany(b *testing.B) {
	dir := b.TempDir()
	const runs = 100_000
	options := runlog.Options{}
	s, err := runlog.OpenRuns(dir, options, unsynced{})
	require.NoError(b, err)
	document := run.NewDocument(storetest.Definition("w", "one"), nil)
	result := *valuesOf(0, "short")[3].Result
	text, _ := result.AppendBrief(nil, limit.DedupThreshold)
	for n := range runs {
		start := storetest.RunStart(n)
		start.Document = document
		result.RunID, result.FinishedAt = start.RunID, start.StartedAt
		require.Empty(b, s.Keep(b.Context(), []run.Kept{{Start: start, Outcome: benchOutcome{result: &result, text: text}}}))
	}
	endRun(b, s, runs)
	require.NoError(b, s.Close())
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			s = openWith(b, dir, options)
			b.StopTimer()
			require.NoError(b, s.Close())
			b.StartTimer()
		}
	})
	s = nil
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s = openWith(b, dir, options)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			page, err := s.Records(b.Context(), run.Query{WorkflowID: "none"})
			require.NoError(b, err)
			require.Empty(b, page.Items)
		}
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/runs, "B/run")
	})
	require.NoError(b, s.Close())
}

// BenchmarkRunKeepLarge records a run whose nodes output nested lists of 100 KB: they parse JSON,
// extract a part of it, and pass on some of that.
func BenchmarkRunKeepLarge(b *testing.B) {
	s := openWith(b, b.TempDir(), runlog.Options{Keep: store.Retention{Runs: 100}})
	list := make([]any, 1000)
	for i := range list {
		list[i] = map[string]any{"id": i, "name": fmt.Sprintf("item-%04d", i), "price": float64(i) + 0.25, "note": strings.Repeat("x", 50)}
	}
	whole := map[string]any{"data": map[string]any{"items": list}}
	result := engine.Result{Status: engine.StatusCompleted, Order: []string{"in", "parse", "items", "some"}, Nodes: map[string]engine.NodeResult{
		"in":    {Outputs: map[string]any{"value": string(value.Encode(whole))}},
		"parse": {Outputs: map[string]any{"value": whole}},
		"items": {Outputs: map[string]any{"result": list}},
		"some":  {Outputs: map[string]any{"result": slices.Clone(list[:500])}},
	}}
	start := storetest.RunStart(1)
	start.Inputs = result.Nodes["in"].Outputs
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		one := result
		start.RunID, one.RunID = storetest.RunID(n), storetest.RunID(n)
		one.StartedAt, one.FinishedAt = start.StartedAt, start.StartedAt
		require.Empty(b, s.Keep(b.Context(), []run.Kept{{Start: start, Outcome: largeOutcome{benchOutcome: benchOutcome{result: &one}}}}))
	}
	require.NoError(b, s.Close())
}

// largeOutcome does not fit into a single line.
type largeOutcome struct{ benchOutcome }

func (largeOutcome) AppendBrief(dst []byte, _ int) ([]byte, bool) { return dst, false }
