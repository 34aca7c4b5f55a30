package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// testKinds checks that floats stay floats when a run is resumed from its record, and that clients
// see the same JSON as always.
func testKinds(t *testing.T, open OpenRuns) {
	s := open()
	start := RunStart(1)
	var many []any
	for n := range 5000 {
		many = append(many, float64(n), n)
	}
	outputs := map[string]any{
		"int": 2, "float": 2.0, "half": 2.5, "minus": -3.0, "zero": 0.0, "big": 1e21, "text": "2.0", "at the end": []any{1, 2.0},
		"list": []any{1.0, 1, 10.0, map[string]any{"a": 4.0, "b": 4}}, "many": many, "no more": 7.0,
	}
	at := start.StartedAt
	e := engine.Event{Name: engine.EventNode, Seq: 1, RunID: start.RunID, Time: at, NodeID: "n", Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 1}
	c := run.Encoder{Exact: true}
	kept, shown := c.Frame(&e)
	require.Equal(t, string(e.AppendJSON(nil, 64<<10)), string(shown.Data))
	appendAll(t, create(t, s, start), kept)
	check := func() {
		t.Helper()
		f := allFrames(t, s, start.RunID)[0]
		from := source{t, s, start.RunID}
		again, err := f.Opened(from, func(h *run.Reference) (any, error) {
			text, err := from.Value(h.Digest)
			require.NoError(t, err)
			return value.Decode(text)
		})
		require.NoError(t, err)
		require.Equal(t, outputs, again.Outputs)
		whole, err := f.Whole(from, engine.NoElision)
		require.NoError(t, err)
		require.Equal(t, string(e.AppendJSON(nil, engine.NoElision)), string(whole.Data))
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
	result := &engine.Result{
		RunID: start.RunID, WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: at, FinishedAt: at.Add(time.Second), Order: []string{"n"},
		Nodes: map[string]engine.NodeResult{"n": {Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 1}}, Outputs: map[string]any{"f": 2.0, "many": many},
	}
	last := engine.Event{Name: engine.EventCompleted, Seq: 2, RunID: start.RunID, Time: at, Result: result}
	kept, _ = c.Frame(&last)
	j, err := s.Reopen(t.Context(), start.RunID)
	require.NoError(t, err)
	require.NoError(t, j.Append(kept))
	whole, err := allFrames(t, s, start.RunID)[1].Whole(source{t, s, start.RunID}, engine.NoElision)
	require.NoError(t, err)
	require.Equal(t, string(last.AppendJSON(nil, engine.NoElision)), string(whole.Data))
}
