package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// briefResult returns a result with every kind of content.
func briefResult() *engine.Result {
	began := time.Date(2026, 2, 3, 4, 5, 59, 999_999_999, time.UTC)
	return &engine.Result{
		RunID: "r1", WorkflowID: `w "1"`, Status: engine.StatusFailed, StartedAt: began, FinishedAt: began.Add(90 * time.Second), Duration: 90*time.Second + 1500,
		Outputs: map[string]any{"all": []any{1, 2.5, "<&>", nil}, `a"b`: true},
		Nodes: map[string]engine.NodeResult{
			"b":       {Status: engine.StatusSucceeded, Outputs: map[string]any{"value": "x", "more": map[string]any{}}, StartedAt: began, Duration: time.Millisecond, Attempts: 1},
			"a":       {Status: engine.StatusSucceeded, StartedAt: began.Add(time.Minute + 1), Duration: 12345, Attempts: 3, Redacted: true},
			"bad":     {Status: engine.StatusFailed, Error: &engine.Failure{Code: "c", Message: "m", NodeID: "in"}, Handled: true, StartedAt: began.Add(500), Attempts: 1},
			"skipped": {Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "bad", Reason: "failed"}},
		},
		Order: []string{"b", "bad", "a"}, Error: &engine.Failure{Code: "c", Message: "m", NodeID: "bad"},
	}
}

// TestBriefResultsSayAll checks that a brief result expands to the original, byte for byte.
func TestBriefResultsSayAll(t *testing.T) {
	usual := briefResult()
	usual.Order, usual.Error, usual.Status = []string{"a", "b", "bad", "skipped"}, nil, engine.StatusCompleted
	for name, r := range map[string]*engine.Result{"all": briefResult(), "usual order": usual, "nothing": {Status: engine.StatusCompleted}, "none started": {
		Status: engine.StatusCancelled, Nodes: map[string]engine.NodeResult{"a": {Status: engine.StatusCancelled}},
	}} {
		t.Run(name, func(t *testing.T) {
			brief, ok := r.AppendBrief([]byte("before "), 1<<10)
			require.True(t, ok)
			text, err := engine.AppendExpanded([]byte("before "), []byte(strings.TrimPrefix(string(brief), "before ")))
			require.NoError(t, err)
			require.Equal(t, "before "+string(r.AppendJSON(nil, engine.NoElision)), string(text))
		})
	}
}

// TestBriefNodesAreBrief checks that the usual values of nodes are left out.
func TestBriefNodesAreBrief(t *testing.T) {
	r := briefResult()
	r.Nodes = map[string]engine.NodeResult{"b": r.Nodes["b"]}
	r.Order = []string{"b"}
	text, ok := r.AppendBrief(nil, 1<<10)
	require.True(t, ok)
	require.Contains(t, string(text), `"nodes":{"b":{"out":{"more":{},"value":"x"},"at":0,"took":1}},"error"`)
}

func TestBriefResultsHaveNoLargeOutputs(t *testing.T) {
	for _, large := range []func(*engine.Result){
		func(r *engine.Result) { r.Outputs["all"] = strings.Repeat("x", 100) },
		func(r *engine.Result) { r.Nodes["b"].Outputs["value"] = strings.Repeat("x", 100) },
	} {
		r := briefResult()
		large(r)
		_, ok := r.AppendBrief(nil, 102)
		require.True(t, ok)
		text, ok := r.AppendBrief([]byte("before"), 101)
		require.False(t, ok)
		require.Equal(t, "before", string(text))
	}
}

func TestDamagedBriefResults(t *testing.T) {
	for _, text := range []string{``, `{`, `{"nodes":{"a":{}},"order":[1]}`, `{"nodes":{"a":{}},"order":[-1]}`, `{"nodes":{"a":7}}`, `{"startedAt":1}`, `[]`} {
		_, err := engine.AppendExpanded(nil, []byte(text))
		require.Error(t, err, text)
	}
}
