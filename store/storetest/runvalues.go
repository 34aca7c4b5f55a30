package storetest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// source resolves the references of a run as clients do.
type source struct {
	t     *testing.T
	runs  store.RunStore
	runID string
}

// Frame implements [run.Source].
func (s source) Frame(seq int) (run.Frame, error) {
	frames, err := s.runs.Frames(s.t.Context(), s.runID, seq-1, 1)
	require.NoError(s.t, err)
	return frames[0], nil
}

// Nodes implements [run.Source].
func (s source) Nodes(seq int) (run.Frame, error) {
	var c run.Encoder
	result := &engine.Result{Nodes: map[string]engine.NodeResult{}}
	frames, err := s.runs.Frames(s.t.Context(), s.runID, 0, 1<<30)
	require.NoError(s.t, err)
	for i := range frames[:seq] {
		f := &frames[i]
		c.Recall(f)
		result.Nodes[f.Node] = engine.NodeResult{Status: f.Status, Outputs: run.ToldBefore(), Attempts: 1, StartedAt: f.Time.Add(-time.Second)}
		result.Order = append(result.Order, f.Node)
	}
	return c.Nodes(seq, result), nil
}

// Value implements [run.Source].
func (s source) Value(d run.Digest) ([]byte, error) { return s.runs.Value(s.t.Context(), s.runID, d) }

// valueEvents returns events of run n, in which several nodes output the same large text.
func valueEvents(n int, text string) []engine.Event {
	start := RunStart(n)
	outputs := map[string]any{"a": 1, "text": text, "z": "small"}
	at := start.StartedAt.Add(time.Second)
	one := engine.Event{Name: engine.EventNode, Seq: 1, RunID: start.RunID, Time: at, NodeID: "one", Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 1}
	two := one
	two.Seq, two.NodeID = 2, "two"
	result := &engine.Result{
		RunID: start.RunID, WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: start.StartedAt, FinishedAt: at,
		Outputs: map[string]any{"all": text}, Order: []string{"one", "two"}, Nodes: map[string]engine.NodeResult{},
	}
	for _, id := range result.Order {
		result.Nodes[id] = engine.NodeResult{Status: engine.StatusSucceeded, Outputs: outputs, StartedAt: start.StartedAt, Attempts: 1}
	}
	last := engine.Event{Name: engine.EventCompleted, Seq: 3, RunID: start.RunID, Time: at, Result: result}
	return []engine.Event{one, two, last}
}

func appendEvents(t *testing.T, j store.Journal, events []engine.Event) {
	t.Helper()
	var c run.Encoder
	for _, e := range events {
		kept, _ := c.Frame(&e)
		require.NoError(t, j.Append(kept))
	}
}

// requireEvents reads a run back, with and without large values, and compares it with events.
func requireEvents(t *testing.T, s store.RunStore, runID string, events []engine.Event) {
	t.Helper()
	from := source{t, s, runID}
	frames := allFrames(t, s, runID)
	require.Len(t, frames, len(events))
	for i, f := range frames {
		for _, h := range f.Holes {
			require.Nil(t, h.Text, "values are not read")
		}
		for _, elide := range []int{engine.NoElision, 64 << 10} {
			whole, err := f.Whole(from, elide)
			require.NoError(t, err)
			if elide == engine.NoElision {
				require.Equal(t, string(events[i].AppendJSON(nil, elide)), string(whole.Data))
			}
			again, err := whole.Event()
			require.NoError(t, err)
			require.Equal(t, events[i].Seq, again.Seq)
		}
	}
}

func testValues(t *testing.T, open OpenRuns) {
	s := open()
	text := strings.Repeat("large ", 20_000)
	events := valueEvents(1, text)
	j := create(t, s, RunStart(1))
	appendEvents(t, j, events[:2])
	requireEvents(t, s, RunID(1), events[:2])
	require.NoError(t, s.Close())
	s = open()
	j, err := s.Reopen(t.Context(), RunID(1))
	require.NoError(t, err)
	var c run.Encoder
	for _, f := range allFrames(t, s, RunID(1)) {
		c.Recall(&f)
	}
	kept, _ := c.Frame(&events[2])
	require.NoError(t, j.Append(kept))
	requireEvents(t, s, RunID(1), events)
	require.NoError(t, s.Close())
	s = opened(t, open)
	requireEvents(t, s, RunID(1), events)
	_, err = s.Value(t.Context(), RunID(2), run.Digest{})
	require.ErrorIs(t, err, store.ErrRunNotFound)
}

// testMissingValues checks that a frame with a missing value is refused completely.
func testMissingValues(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	j := create(t, s, RunStart(1))
	f := Frame(1, "one")
	f.Holes = []run.Reference{{At: 3, Size: 5000, Digest: run.Digest{1}}}
	require.Error(t, j.Append(f))
	require.Empty(t, allFrames(t, s, RunID(1)))
	appendAll(t, j, Frame(1, "one"))
}

func testLargeInputs(t *testing.T, open OpenRuns) {
	s := open()
	start := RunStart(1)
	text := strings.Repeat("input ", 2000)
	start.Inputs = map[string]any{"a": text, "b": text, "c": map[string]any{"d": text}, "e": 1}
	create(t, s, start)
	check := func() {
		t.Helper()
		got, err := s.Start(t.Context(), start.RunID)
		require.NoError(t, err)
		require.Equal(t, start.Inputs, got.Inputs)
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
}

// testReferences checks that the last frame refers to values of earlier frames instead of repeating
// them, unless they differ.
func testReferences(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	events := valueEvents(1, "short")
	other := events[2].Result.Nodes["two"]
	other.Outputs = map[string]any{"text": "[redacted]"}
	events[2].Result.Nodes["two"] = other
	appendEvents(t, create(t, s, RunStart(1)), events)
	requireEvents(t, s, RunID(1), events)
	last := allFrames(t, s, RunID(1))[2]
	require.Len(t, last.Holes, 1)
	require.Equal(t, 1, last.Holes[0].Frame)
	require.NotContains(t, string(last.Data), "small")
	require.Contains(t, string(last.Data), "redacted")
}

// outcome is the outcome of a run without events.
type outcome struct{ result *engine.Result }

func (o outcome) ID() string             { return o.result.RunID }
func (o outcome) Status() engine.Status  { return o.result.Status }
func (o outcome) FinishedAt() time.Time  { return o.result.FinishedAt }
func (o outcome) Ended() int             { return len(o.result.Order) }
func (o outcome) Err() *engine.Failure   { return o.result.Error }
func (o outcome) Result() *engine.Result { return o.result }

// AppendBrief implements [run.Outcome].
func (o outcome) AppendBrief(dst []byte, most int) ([]byte, bool) {
	return o.result.AppendBrief(dst, most)
}

func testKept(t *testing.T, open OpenRuns)      { keptRuns(t, open, "short") }
func testKeptLarge(t *testing.T, open OpenRuns) { keptRuns(t, open, strings.Repeat("large ", 20_000)) }

// keptRuns checks that runs recorded by Keep read like runs that were written frame by frame.
func keptRuns(t *testing.T, open OpenRuns, text string) {
	t.Helper()
	s := open()
	document := run.NewDocument(RunStart(0).Definition, nil)
	var all []run.Kept
	for n := range 3 {
		start := RunStart(n)
		start.Document = document
		start.Inputs = map[string]any{"n": n}
		events := valueEvents(n, text)
		kept := run.Kept{Start: start, Outcome: outcome{events[2].Result}}
		if n == 0 {
			require.Empty(t, s.Keep(t.Context(), []run.Kept{kept}))
		} else { // together with others
			errs := s.Keep(t.Context(), append(all, kept, kept))
			require.Len(t, errs, n+2)
			require.NoError(t, errs[n])
			require.Error(t, errs[n+1], "the id is in use")
		}
		all = append(all, kept)
	}
	check := func() {
		t.Helper()
		require.Empty(t, unfinished(t, s))
		require.Equal(t, runIDs(2, 1, 0), listed(t, s, run.Query{Limit: 5, Status: engine.StatusCompleted}))
		for n := range 3 {
			want := valueEvents(n, text)[2].Result
			frames := allFrames(t, s, RunID(n))
			require.Len(t, frames, 4)
			require.Equal(t, engine.EventStarted, frames[0].Name)
			require.Equal(t, []string{"one", "two"}, []string{frames[1].Node, frames[2].Node})
			last, err := frames[3].Whole(source{t, s, RunID(n)}, engine.NoElision)
			require.NoError(t, err)
			e, err := last.Event()
			require.NoError(t, err)
			require.Equal(t, string(want.AppendJSON(nil, engine.NoElision)), string(e.Result.AppendJSON(nil, engine.NoElision)))
			record, err := s.Record(t.Context(), RunID(n))
			require.NoError(t, err)
			require.Equal(t, want.FinishedAt, record.FinishedAt)
			require.Equal(t, 4, record.Frames)
			start, err := s.Start(t.Context(), RunID(n))
			require.NoError(t, err)
			require.Equal(t, map[string]any{"n": n}, start.Inputs)
			require.Equal(t, marshal(t, RunStart(n).Definition), marshal(t, start.Definition))
		}
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
	require.NoError(t, s.Delete(t.Context(), RunID(1)))
	requireNoRun(t, s, RunID(1))
}

const mostBytes = 20_000

// testRunBytes checks the size limit of a run, which does not apply to its last frame.
func testRunBytes(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	j := create(t, s, RunStart(1))
	seq := 0
	var err error
	for ; err == nil && seq < 100; seq++ {
		err = j.Append(Frame(seq+1, strings.Repeat("x", 1000)))
	}
	var full *store.RunBytesError
	require.ErrorAs(t, err, &full)
	require.EqualValues(t, mostBytes, full.Most)
	require.Greater(t, seq, mostBytes/2000)
	require.LessOrEqual(t, seq, mostBytes/1000)
	last := LastFrame(1, seq, engine.StatusFailed)
	last.Data = bytes.Join([][]byte{last.Data[:len(last.Data)-1], []byte(`,"message":"` + strings.Repeat("x", mostBytes) + `"}`)}, nil)
	appendAll(t, j, last)
	require.Len(t, allFrames(t, s, RunID(1)), seq)
	ended(t, s, 2, engine.StatusCompleted)
}
