package runlog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

func openOn(t *testing.T, dir string, keep store.Retention, d vfs.FS) *runlog.Store {
	t.Helper()
	s, err := runlog.OpenRuns(dir, runlog.Options{Keep: keep}, d)
	require.NoError(t, err)
	return s
}

func frames(t *testing.T, s store.RunStore, n int) []run.Frame {
	t.Helper()
	all, err := s.Frames(t.Context(), storetest.RunID(n), 0, 1<<30)
	require.NoError(t, err)
	return all
}

func runFrames(n int) []run.Frame {
	return []run.Frame{
		storetest.Frame(1, "one"), storetest.Frame(2, strings.Repeat("two", 5000)), storetest.LastFrame(n, 3, engine.StatusFailed),
	}
}

// createRuns creates n runs.
func createRuns(t testing.TB, s store.RunStore, n int) []store.Journal {
	t.Helper()
	journals := make([]store.Journal, n)
	for n := range journals {
		var err error
		journals[n], err = s.Create(t.Context(), storetest.RunStart(n))
		require.NoError(t, err)
	}
	return journals
}

func endRun(t testing.TB, s store.RunStore, n int) {
	t.Helper()
	j, err := s.Create(t.Context(), storetest.RunStart(n))
	require.NoError(t, err)
	for _, f := range runFrames(n) {
		require.NoError(t, j.Append(f))
	}
}

// valuesOf returns the events of run n, in which text occurs repeatedly.
func valuesOf(n int, text string) []engine.Event {
	start := storetest.RunStart(n)
	outputs := map[string]any{"text": text, "n": n}
	var events []engine.Event
	result := &engine.Result{
		RunID: start.RunID, WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: start.StartedAt, FinishedAt: start.StartedAt,
		Outputs: map[string]any{"all": text}, Nodes: map[string]engine.NodeResult{}, Order: []string{},
	}
	for seq, id := range []string{"one", "two", "three"} {
		events = append(events, engine.Event{
			Name: engine.EventNode, Seq: seq + 1, RunID: start.RunID, Time: start.StartedAt, NodeID: id,
			Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 1,
		})
		result.Nodes[id] = engine.NodeResult{Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 1}
		result.Order = append(result.Order, id)
	}
	return append(events, engine.Event{Name: engine.EventCompleted, Seq: 4, RunID: start.RunID, Time: start.StartedAt, Result: result})
}

func appendEvents(t testing.TB, j store.Journal, events []engine.Event) {
	t.Helper()
	var c run.Encoder
	for _, e := range events {
		kept, _ := c.Frame(&e)
		require.NoError(t, j.Append(kept))
	}
}

// stored reads a run from a store.
type stored struct {
	t    testing.TB
	runs store.RunStore
	id   string
}

func (s stored) Frame(seq int) (run.Frame, error) {
	frames, err := s.runs.Frames(s.t.Context(), s.id, seq-1, 1)
	require.NoError(s.t, err)
	return frames[0], nil
}

func (s stored) Nodes(int) (run.Frame, error) { return run.Frame{}, store.ErrNoValue }

func (s stored) Value(d run.Digest) ([]byte, error) { return s.runs.Value(s.t.Context(), s.id, d) }

func requireEvents(t testing.TB, s store.RunStore, n int, events []engine.Event) {
	t.Helper()
	requireFirst(t, s, n, events)
	more, err := s.Frames(t.Context(), storetest.RunID(n), len(events), 1)
	require.NoError(t, err)
	require.Empty(t, more)
}

// requireFirst checks that the run begins with frames for events.
func requireFirst(t testing.TB, s store.RunStore, n int, events []engine.Event) {
	t.Helper()
	id := storetest.RunID(n)
	all, err := s.Frames(t.Context(), id, 0, 1<<30)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), len(events))
	for i := range events {
		whole, err := all[i].Whole(stored{t: t, runs: s, id: id}, engine.NoElision)
		require.NoError(t, err)
		require.Equal(t, string(events[i].AppendJSON(nil, engine.NoElision)), string(whole.Data))
	}
}
