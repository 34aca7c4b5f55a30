package enginetest

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
)

// entries returns a workflow with two enabled triggers and a disabled one, whose paths
// meet.
func entries() *Flow {
	return NewFlow("w").Node("a", "test.trigger", "sample", "tried").Node("b", "test.trigger").Node("off", "test.trigger").Disabled().
		Node("both", "test.merge").Node("onlyA", "test.pass").Node("after", "test.pass", "value", 1).
		Wire("a.payload", "both.a").Wire("b.payload", "both.b").Wire("a.payload", "onlyA.value").Wire("b.$done", "after.$after")
}

// fire runs f with a firing of the trigger id.
func (s suite) fire(t *testing.T, f *Flow, id string, payload map[string]any) *Play {
	t.Helper()
	kit := NewKit()
	plan := kit.Compile(t, f)
	firing, problems := plan.Fire(id, payload, time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC))
	require.Empty(t, problems)
	return PlayPlan(t.Context(), t, s.open(), plan, engine.Options{Firing: firing})
}

// triggers tests how a run begins.
func (s suite) triggers(t *testing.T) {
	t.Run("one fires, the others are not taken", func(t *testing.T) {
		r := s.fire(t, entries(), "a", map[string]any{"payload": 7}).Result
		require.Equal(t, engine.StatusCompleted, r.Status)
		require.Equal(t, map[string]any{"payload": 7, "at": "2026-01-31", "count": 0, "list": []any{}}, r.Nodes["a"].Outputs)
		require.Equal(t, &engine.Skip{NodeID: "b", Reason: "not_taken"}, r.Nodes["b"].SkippedBecause)
		require.Equal(t, &engine.Skip{NodeID: "off", Reason: "disabled"}, r.Nodes["off"].SkippedBecause)
		require.Equal(t, engine.StatusSucceeded, r.Nodes["both"].Status)
		require.Equal(t, map[string]any{"value": 7}, r.Nodes["onlyA"].Outputs)
		require.Equal(t, &engine.Skip{NodeID: "b", Reason: "not_taken"}, r.Nodes["after"].SkippedBecause)
	})
	t.Run("the other one", func(t *testing.T) {
		r := s.fire(t, entries(), "b", nil).Result
		require.Equal(t, &engine.Skip{NodeID: "a", Reason: "not_taken"}, r.Nodes["onlyA"].SkippedBecause)
		require.Equal(t, engine.StatusSucceeded, r.Nodes["after"].Status)
	})
	t.Run("nothing has happened", func(t *testing.T) {
		r := s.play(t, entries()).Result
		require.Equal(t, engine.StatusCompleted, r.Status)
		for id, n := range r.Nodes {
			require.Equal(t, engine.StatusSkipped, n.Status, id)
		}
	})
	t.Run("nothing happens in bodies", func(t *testing.T) {
		inner := NewFlow("").Node("a", "test.trigger").Node("out", "test.output", "name", "x").Wire("a.payload", "out.value")
		f := NewFlow("w").Node("a", "test.trigger").Node("in", "test.sub").Body(inner).Wire("a.$done", "in.$after")
		require.NotContains(t, s.fire(t, f, "a", nil).Result.Nodes["in"].Outputs, "x")
	})
	t.Run("what does not fit", func(t *testing.T) {
		_, err := s.open().Run(t.Context(), NewKit().Compile(t, entries()), engine.Options{
			RunID: "run-1", Firing: &engine.Firing{Node: "a", Outputs: map[string]any{"payload": 1, "at": "x", "count": "many", "other": 1}},
		})
		problems, ok := errors.AsType[engine.ValidationErrors](err)
		require.True(t, ok, "%v", err)
		ports := map[string]string{}
		for _, p := range problems {
			require.Equal(t, "a", p.NodeID)
			ports[p.Port] = p.Code
		}
		require.Equal(t, map[string]string{"count": "type_error", "list": "type_error", "other": "type_error"}, ports)
	})
}
