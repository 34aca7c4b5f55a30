package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// OpenRuns opens a store of runs. It is empty the first time; later it holds the same runs as when
// it was closed.
type OpenRuns func() store.RunStore

// RunOptions configure the store of a test.
type RunOptions struct {
	Keep     store.Retention // zero keeps all runs
	RunBytes int64           // limits the size of one run; 0 is the default of the store
}

// Runs tests a store of runs. newStore returns a function that opens a store with the options;
// no other test uses that store.
func Runs(t *testing.T, newStore func(t *testing.T, o RunOptions) OpenRuns) {
	t.Helper()
	runs(t, false, newStore)
}

// runs tests stores of runs. shared is true for shared runs behind [owner], which refuse a second
// run with the same key.
func runs(t *testing.T, shared bool, newStore func(t *testing.T, o RunOptions) OpenRuns) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, OpenRuns)
	}{
		{"no runs", testNoRuns},
		{"life of a run", testLife},
		{"start round trip", testStartRoundTrip},
		{"refused starts", testRefusedStarts},
		{"refused frames", testRefusedFrames},
		{"frames by size", testFramesBySize},
		{"data is not read", testDataIsNotRead},
		{"pages", testPages},
		{"filters", testFilters},
		{"pages while runs come", testPagesWhileRunsCome},
		{"invalid cursor", testInvalidCursor},
		{"delete", testDeleteRun},
		{"unfinished", testUnfinished},
		{"reopen", testReopen},
		{"finish many", testFinish},
		{"closed", testClosed},
		{"run ids are no paths", testRunIDs},
		{"cancelled context", testRunsCancelled},
		{"follow while it is written", testFollow},
		{"many at once", testManyAtOnce},
		{"values once", testValues},
		{"kinds of numbers", testKinds},
		{"values that nobody has", testMissingValues},
		{"large inputs", testLargeInputs},
		{"last frame refers", testReferences},
		{"last frame leaves nodes to its readers", testNodesLeft},
		{"kept runs", testKept},
		{"kept run by run", testKeptLarge},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore(t, RunOptions{})) })
	}
	if !shared {
		t.Run("by key", func(t *testing.T) { testByKey(t, newStore(t, RunOptions{})) })
		t.Run("keys outlive runs", func(t *testing.T) { testKeysOutliveRuns(t, newStore(t, RunOptions{})) })
		t.Run("runs that wait", func(t *testing.T) { testWaiting(t, newStore(t, RunOptions{})) })
	}
	for _, test := range retentionTests() {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore(t, RunOptions{Keep: test.keep})) })
	}
	t.Run("bytes of a run", func(t *testing.T) { testRunBytes(t, newStore(t, RunOptions{RunBytes: mostBytes})) })
}

// opened opens a store until the test ends.
func opened(t *testing.T, open OpenRuns) store.RunStore {
	t.Helper()
	s := open()
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func create(t *testing.T, s store.RunStore, start run.Start) store.Journal {
	t.Helper()
	j, err := s.Create(t.Context(), start)
	require.NoError(t, err)
	return j
}

func appendAll(t *testing.T, j store.Journal, frames ...run.Frame) {
	t.Helper()
	for _, f := range frames {
		require.NoError(t, j.Append(f))
	}
}

// ended creates run n with one frame and its last frame.
func ended(t *testing.T, s store.RunStore, n int, status engine.Status) {
	t.Helper()
	appendAll(t, create(t, s, RunStart(n)), Frame(1, "one"), LastFrame(n, 2, status))
}

func allFrames(t *testing.T, s store.RunStore, runID string) []run.Frame {
	t.Helper()
	frames, err := s.Frames(t.Context(), runID, 0, 1<<30)
	require.NoError(t, err)
	return frames
}

func testNoRuns(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	page, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Equal(t, run.Page{Items: []run.Record{}}, page)
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
	requireNoRun(t, s, RunID(1))
}

func requireNoRun(t *testing.T, s store.RunStore, id string) {
	t.Helper()
	_, err := s.Start(t.Context(), id)
	require.ErrorIs(t, err, store.ErrRunNotFound, "%q", id)
	_, err = s.Record(t.Context(), id)
	require.ErrorIs(t, err, store.ErrRunNotFound, "%q", id)
	_, err = s.Frames(t.Context(), id, 0, 1000)
	require.ErrorIs(t, err, store.ErrRunNotFound, "%q", id)
	_, err = s.Reopen(t.Context(), id)
	require.ErrorIs(t, err, store.ErrRunNotFound, "%q", id)
}

func testLife(t *testing.T, open OpenRuns) {
	s := open()
	start := RunStart(1)
	start.ResumedFrom = RunID(0)
	j := create(t, s, start)
	want := run.Record{
		RunID: start.RunID, WorkflowID: "w", Status: engine.StatusRunning,
		StartedAt: start.StartedAt, ResumedFrom: RunID(0),
	}
	check := func(want run.Record, frames ...run.Frame) {
		t.Helper()
		record, err := s.Record(t.Context(), start.RunID)
		require.NoError(t, err)
		require.Equal(t, want, record)
		page, err := s.Records(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		page.Items[0].Frames = want.Frames
		require.Equal(t, want, page.Items[0])
		require.Equal(t, frames, allFrames(t, s, start.RunID))
	}
	check(want)
	first, last := Frame(1, "one"), LastFrame(1, 2, engine.StatusCancelled)
	appendAll(t, j, first)
	want.Frames = 1
	check(want, first)
	appendAll(t, j, last)
	want.Frames, want.Status, want.FinishedAt = 2, engine.StatusCancelled, start.StartedAt.Add(time.Minute)
	check(want, first, last)

	require.NoError(t, s.Close())
	s = opened(t, open)
	check(want, first, last)
}

func testStartRoundTrip(t *testing.T, open OpenRuns) {
	s := open()
	called := Definition("called/ü\"", "two")
	start := RunStart(7)
	start.ResumedFrom, start.From, start.IdempotencyKey, start.RequestDigest = RunID(6), "loop/ü\"", "key \"é\" 🚀", "digest"
	start.Workflows = map[string]*workflow.Definition{called.ID: called, "other": Definition("other", "three")}
	start.Inputs = map[string]any{
		"int": 9007199254740993, "float": 1.5, "text": "a\nb\u2028\x00", "nothing": nil,
		"list": []any{1, "a", map[string]any{"b": true}}, "credential": value.Credential("pronet:main"),
	}
	start.StartedBy = &run.StartedBy{Trigger: "trigger/ü\"", Type: "trigger.webhook", Chain: 3}
	start.Stored = true
	start.Firing = &engine.Firing{Node: "trigger/ü\"", Outputs: map[string]any{"payload": []any{1, nil}, "at": "08:00"}}
	create(t, s, start)
	want := start
	want.Inputs["credential"] = "pronet:main" // as in a request
	check := func() {
		t.Helper()
		got, err := s.Start(t.Context(), start.RunID)
		require.NoError(t, err)
		require.Equal(t, marshal(t, want.Definition), marshal(t, got.Definition))
		require.Len(t, got.Workflows, len(want.Workflows))
		for id, def := range want.Workflows {
			require.Equal(t, marshal(t, def), marshal(t, got.Workflows[id]))
		}
		got.Definition, got.Workflows = want.Definition, want.Workflows
		require.Equal(t, want, got)
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
}

func testRunIDs(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	for _, id := range append(ids(), "", ".", "..", "a\x00b", "a\nb", RunID(1)+"/", strings.ToUpper(RunID(1))) {
		start := RunStart(1)
		start.RunID = id
		if _, err := s.Create(t.Context(), start); err != nil {
			requireNoRun(t, s, id)
			continue
		}
		got, err := s.Start(t.Context(), id)
		require.NoError(t, err, "%q", id)
		require.Equal(t, id, got.RunID)
	}
}

func testRunsCancelled(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	create(t, s, RunStart(1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Create(ctx, RunStart(2))
	require.ErrorIs(t, err, context.Canceled)
	requireNoRun(t, s, RunID(2))
	_, err = s.Start(ctx, RunID(1))
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.ByKey(ctx, "key")
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Record(ctx, RunID(1))
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Records(ctx, run.Query{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Frames(ctx, RunID(1), 0, 1)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Unfinished(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Reopen(ctx, RunID(1))
	require.ErrorIs(t, err, context.Canceled)
}
