package postgres_test

import (
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// benched returns the runs of the database at SVC_BENCH_POSTGRES. That database should sync to its
// disk; the one of the tests does not.
func benched(b *testing.B) *postgres.Runs {
	b.Helper()
	url := os.Getenv("SVC_BENCH_POSTGRES")
	if url == "" {
		b.Skip("SVC_BENCH_POSTGRES has no address of a PostgreSQL to measure")
	}
	_, err := postgres.Migrate(b.Context(), url)
	require.NoError(b, err)
	opened, err := postgres.Open(b.Context(), url)
	require.NoError(b, err)
	b.Cleanup(opened.Close)
	runs, err := opened.Runs(b.Context(), postgres.RunOptions{})
	require.NoError(b, err)
	return runs
}

// freshStart returns a start with the current time.
func freshStart(b *testing.B, document *run.Document) run.Start {
	b.Helper()
	id, err := uuid.NewV7()
	require.NoError(b, err)
	start := storetest.RunStart(0)
	start.RunID, start.StartedAt, start.Document = id.String(), time.Now(), document
	return start
}

// framesOf returns the frames of a run of ten nodes.
func framesOf(runID string) (frames []run.Frame) {
	now := time.Now()
	result := &engine.Result{RunID: runID, WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: now, FinishedAt: now, Nodes: map[string]engine.NodeResult{}}
	var c run.Encoder
	add := func(e engine.Event) {
		e.Seq, e.RunID, e.Time = len(frames)+1, runID, now
		kept, _ := c.Frame(&e)
		frames = append(frames, kept)
	}
	add(engine.Event{Name: engine.EventStarted, WorkflowID: "w"})
	for n := range 10 {
		id, outputs := fmt.Sprint("node", n), map[string]any{"value": n}
		result.Order = append(result.Order, id)
		result.Nodes[id] = engine.NodeResult{Status: engine.StatusSucceeded, Outputs: outputs, StartedAt: now, Attempts: 1}
		add(engine.Event{Name: engine.EventNode, NodeID: id, Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 1})
	}
	add(engine.Event{Name: engine.EventCompleted, Result: result})
	return frames
}

const clients = 32

// BenchmarkLives measures runs of ten nodes from start to end by 32 clients, in PostgreSQL and, for
// comparison, in files.
func BenchmarkLives(b *testing.B) {
	document := run.NewDocument(storetest.RunStart(0).Definition, nil)
	lives := func(b *testing.B, live func(start run.Start) error) {
		b.SetParallelism(clients)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				require.NoError(b, live(freshStart(b, document)))
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	}
	b.Run("shared", func(b *testing.B) {
		runs := benched(b)
		lives(b, func(start run.Start) error {
			if err := runs.Begin(b.Context(), start, store.SharedLimits{Unfinished: 1000}); err != nil {
				return err
			}
			taken, err := runs.Take(b.Context(), start.RunID, "d")
			if err != nil {
				return err
			}
			return taken.Append(b.Context(), framesOf(start.RunID)...)
		})
	})
	b.Run("files", func(b *testing.B) {
		benched(b)
		runs, err := runlog.Open(b.TempDir(), runlog.Options{Log: slog.New(slog.DiscardHandler)})
		require.NoError(b, err)
		defer func() { require.NoError(b, runs.Close()) }()
		lives(b, func(start run.Start) error {
			j, err := runs.Create(b.Context(), start)
			if err != nil {
				return err
			}
			for _, f := range framesOf(start.RunID) {
				if err := j.Append(f); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// BenchmarkChanges asks for the changes of 1,000 runs.
func BenchmarkChanges(b *testing.B) {
	runs := benched(b)
	var ids []string
	for range 1000 {
		start := freshStart(b, nil)
		require.NoError(b, runs.Begin(b.Context(), start, store.SharedLimits{}))
		ids = append(ids, start.RunID)
	}
	var known atomic.Int64
	for b.Loop() {
		changes, err := runs.Changes(b.Context(), ids)
		require.NoError(b, err)
		known.Store(int64(len(changes)))
	}
	require.EqualValues(b, len(ids), known.Load())
}
