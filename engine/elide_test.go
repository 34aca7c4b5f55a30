package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// An event that was elided is written as one that is elided while it is written.
func TestElidedEvent(t *testing.T) {
	const limit = 100
	outputs := func() map[string]any {
		return map[string]any{
			"fits": strings.Repeat("x", limit-2), "long": strings.Repeat("x", limit-1),
			"wide": make([]any, 2*limit), "nothing": nil,
		}
	}
	of := engine.Event{Name: engine.EventNode, NodeID: "a", Time: time.Unix(1, 0), Status: engine.StatusSucceeded, Outputs: outputs()}
	end := engine.Event{Name: engine.EventCompleted, Time: time.Unix(1, 0), Result: &engine.Result{
		Status: engine.StatusCompleted, Outputs: outputs(), Nodes: map[string]engine.NodeResult{"a": {Outputs: outputs()}, "b": {}},
	}}
	for _, e := range []engine.Event{of, end, {Name: engine.EventStarted}} {
		whole := string(e.AppendJSON(nil, engine.NoElision))
		shown := e.Shown(limit)
		require.Equal(t, string(e.AppendJSON(nil, limit)), string(shown.AppendJSON(nil, engine.NoElision)))
		require.Equal(t, whole, string(e.AppendJSON(nil, engine.NoElision)), "the event itself has changed")
		require.Equal(t, e, e.Shown(engine.NoElision))
	}
	require.Equal(t, map[string]any{"$elided": map[string]any{"bytes": limit + 1}}, of.Shown(limit).Outputs["long"])
	require.Equal(t, outputs(), end.Shown(limit).Result.Outputs, "outputs of the run are whole")
}
