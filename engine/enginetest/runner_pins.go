package enginetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
)

func (s suite) pins(t *testing.T) {
	play := func(t *testing.T, f *Flow, pins map[string]engine.Pin) *Play {
		t.Helper()
		return PlayPlan(t.Context(), t, s.open(), NewKit().Compile(t, f), engine.Options{Pins: pins})
	}
	text := func(v any) engine.Pin { return engine.Pin{Outputs: map[string]any{"text": v}} }
	fails := engine.Pin{Error: &engine.Failure{Code: "odd", Message: "as pinned"}}
	chain := NewFlow("w").Node("a", "test.upper", "text", "x").Node("b", "test.upper").Wire("a.text", "b.text")

	t.Run("outputs instead of a call", func(t *testing.T) {
		p := play(t, chain, map[string]engine.Pin{"a": text("pinned")})
		require.Equal(t, map[string]any{"text": "pinned"}, p.node("a"))
		require.Equal(t, map[string]any{"text": "PINNED"}, p.node("b"))
		require.Equal(t, 1, p.Nodes["a"].Attempts)
	})
	t.Run("a node that would wait does not", func(t *testing.T) {
		p := play(t, NewFlow("w").Node("a", "test.wait"), map[string]engine.Pin{"a": {}})
		require.Equal(t, map[string]string{"a": "succeeded"}, p.States())
	})
	t.Run("what is not there is not taken", func(t *testing.T) {
		p := play(t, chain, map[string]engine.Pin{"a": {}})
		require.Equal(t, map[string]string{"a": "succeeded", "b": "skipped (a not_taken)"}, p.States())
	})
	t.Run("an error, which no retry repeats", func(t *testing.T) {
		f := NewFlow("w").Node("a", "test.upper", "text", "x").Retry(3).Node("b", "test.pass").Wire("a.$error", "b.value")
		p := play(t, f, map[string]engine.Pin{"a": fails})
		require.Equal(t, map[string]string{"a": "failed odd handled", "b": "succeeded"}, p.States())
		require.Equal(t, map[string]any{"value": map[string]any{"code": "odd", "message": "as pinned", "nodeId": "a"}}, p.node("b"))
		require.Equal(t, 1, p.Nodes["a"].Attempts)
	})
	t.Run("inputs have to fit all the same", func(t *testing.T) {
		f := NewFlow("w").Node("a", "test.pass", "value", 1).Node("b", "test.upper").Wire("a.value", "b.text")
		p := play(t, f, map[string]engine.Pin{"b": text("X")})
		require.Equal(t, "failed type_error", p.States()["b"])
	})
	t.Run("a node that is skipped is not asked", func(t *testing.T) {
		f := NewFlow("w").Node("a", "test.mute").Node("b", "test.pass").Wire("a.value", "b.value")
		p := play(t, f, map[string]engine.Pin{"b": {Outputs: map[string]any{"value": 1}}})
		require.Equal(t, "skipped (a not_taken)", p.States()["b"])
	})
	t.Run("who asks hears of it", func(t *testing.T) {
		asked := map[string]map[string]any{}
		p := PlayPlan(t.Context(), t, s.open(), NewKit().Compile(t, chain), engine.Options{
			Pins:  map[string]engine.Pin{"b": fails},
			Asked: func(path string, inputs map[string]any) { asked[path] = inputs },
		})
		require.Equal(t, "failed odd", p.States()["b"])
		require.Equal(t, map[string]map[string]any{"b": {"text": "X"}}, asked)
	})
	s.pinsInside(t)
	s.pinsThatDoNotFit(t, chain)
}

func (s suite) pinsInside(t *testing.T) {
	loop := NewFlow("w").Node("loop", "test.foreach", "list", []any{"a", "b", "c"}).Body(upperBody())
	pinned := func(v any) engine.Pin { return engine.Pin{Outputs: map[string]any{"text": v}} }
	tests := []struct {
		name string
		pins map[string]engine.Pin
		want []any
	}{
		{"in all rounds", map[string]engine.Pin{"loop/up": pinned("P")}, []any{"P", "P", "P"}},
		{"in one round", map[string]engine.Pin{"loop/1/up": pinned("P")}, []any{"A", "P", "C"}},
		{"one round before all", map[string]engine.Pin{"loop/1/up": pinned("one"), "loop/up": pinned("all")}, []any{"all", "one", "all"}},
		{"the loop itself", map[string]engine.Pin{"loop": {Outputs: map[string]any{"result": []any{"P"}}}}, []any{"P"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := NewKit().Compile(t, loop)
			seen := PlayPlan(t.Context(), t, s.open(), plan, engine.Options{Pins: tt.pins})
			require.Equal(t, map[string]any{"result": tt.want}, seen.node("loop"))
			unseen, err := s.open().Run(t.Context(), plan, engine.Options{Pins: tt.pins})
			require.NoError(t, err)
			require.Equal(t, seen.Nodes["loop"].Outputs, unseen.Result().Nodes["loop"].Outputs, "paths count where nobody sees them, too")
		})
	}
	t.Run("in a stored workflow inside a body", func(t *testing.T) {
		kit := NewKit()
		stored := upperBody().Definition()
		stored.ID = "upper"
		kit.Store(stored)
		plan := kit.Compile(t, NewFlow("w").Node("loop", "test.repeat", "times", 2).
			Body(NewFlow("").Node("sub", "test.sub", "workflowId", "upper", "item", "x").Node("out", "test.output", "name", "got").Wire("sub.result", "out.value")))
		for _, path := range []string{"loop/sub/up", "loop/1/sub/0/up"} {
			p := PlayPlan(t.Context(), t, s.open(), plan, engine.Options{Pins: map[string]engine.Pin{path: pinned("P")}})
			require.Equal(t, map[string]any{"got": "P"}, p.node("loop"), path)
		}
		require.Equal(t, []engine.Step{{Path: "loop", Type: "test.repeat"}, {Path: "loop/sub", Type: "test.sub"}, {Path: "loop/sub/up", Type: "test.upper"}},
			slices.Collect(plan.Steps()))
	})
}

func (s suite) pinsThatDoNotFit(t *testing.T, chain *Flow) {
	tests := []struct {
		path, code, says string
		pin              engine.Pin
	}{
		{"nobody", engine.CodeUnknownPin, `there is no node "nobody" to pin there are a, b`, engine.Pin{}},
		{"a/b", engine.CodeUnknownPin, `there is no node "a/b" to pin: no "b" in it nothing is inside of it`, engine.Pin{}},
		{"a/0/b", engine.CodeUnknownPin, `there is no node "a/0/b" to pin`, engine.Pin{}},
		{"in", engine.CodeUnknownPin, "cannot be pinned", engine.Pin{}},
		{"a", engine.CodeMissingOutputPort, `no output "txt"`, engine.Pin{Outputs: map[string]any{"txt": "x"}}},
		{"a", engine.CodeTypeError, `the pinned output "text": `, engine.Pin{Outputs: map[string]any{"text": 1}}},
		{"a", engine.CodeUnknownPin, "not both", engine.Pin{Outputs: map[string]any{"text": "x"}, Error: &engine.Failure{Code: "odd"}}},
		{"a", engine.CodeUnknownPin, "no code", engine.Pin{Error: &engine.Failure{}}},
	}
	chain = chain.Node("in", "test.input", "name", "in")
	for _, tt := range tests {
		t.Run("refused: "+tt.says, func(t *testing.T) {
			called := false
			_, err := s.open().Run(t.Context(), NewKit().Compile(t, chain), engine.Options{
				Pins: map[string]engine.Pin{tt.path: tt.pin}, Observe: func(engine.Event) { called = true },
			})
			var problems engine.ValidationErrors
			require.ErrorAs(t, err, &problems)
			require.Equal(t, tt.code, problems[0].Code)
			require.Equal(t, tt.path, problems[0].NodeID)
			require.Contains(t, strings.Join([]string{problems[0].Message, problems[0].Hint}, " "), tt.says)
			require.False(t, called, "nothing was run")
		})
	}
}
