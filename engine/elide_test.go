package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// TestElidedEvent checks that eliding an event before writing gives the same result as
// eliding while writing.
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

// TestElidedListsAreThoseThatAreLong checks that eliding a list depends on its size and not
// on its first item, from which the size is estimated.
func TestElidedListsAreThoseThatAreLong(t *testing.T) {
	long, short := strings.Repeat("x", 1000), "x"
	for name, tt := range map[string]struct {
		list []any
		want string
	}{
		"short, then long":       {[]any{short, long, long}, `{"$elided":{"bytes":2011}}`},
		"long by escapes":        {slices.Repeat([]any{strings.Repeat("\n", 9)}, 60), `{"$elided":{"bytes":1001}}`},
		"short, then many parts": {[]any{short, []any{long, long}, []any{long}}, `{"$elided":{"bytes":3018}}`},
		"long, then short":       {[]any{strings.Repeat("x", 900), short, short}, `["` + strings.Repeat("x", 900) + `","x","x"]`},
		"all short":              {[]any{short, 1, nil}, `["x",1,null]`},
		"none":                   {[]any{}, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			e := engine.Event{Name: engine.EventNode, NodeID: "n", Outputs: map[string]any{"list": tt.list, "after": 1}}
			require.Contains(t, string(e.AppendJSON(nil, 1000)), `"outputs":{"after":1,"list":`+tt.want+`}`)
			bytes, elided := engine.Elided(e.Shown(1000).Outputs["list"])
			require.Equal(t, strings.Contains(tt.want, "$elided"), elided)
			if elided {
				require.Equal(t, tt.want, string(engine.AppendElided(nil, bytes)))
			} else {
				require.Equal(t, tt.list, e.Shown(1000).Outputs["list"])
			}
		})
	}
}
