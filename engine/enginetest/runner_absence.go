package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
)

// absence tests the rules of absence, case by case.
func (s suite) absence(t *testing.T) {
	const ok = "succeeded"
	branch := func() *Flow { return NewFlow("w").Node("a", "test.branch", "condition", true, "value", 7) }
	broken := func() *Flow { return NewFlow("w").Node("a", "test.fail", "value", 7) }
	tests := []struct {
		name   string
		flow   *Flow
		want   map[string]string
		status engine.Status
	}{
		{
			"the other side of a branch skips what requires it, all the way down",
			branch().Node("b", "test.pass").Node("c", "test.pass").Wire("a.no", "b.value").Wire("b.value", "c.value"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)", "c": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"a merge takes the side that came",
			branch().Node("b", "test.merge").Wire("a.no", "b.a").Wire("a.yes", "b.b"),
			map[string]string{"a": ok, "b": ok},
			engine.StatusCompleted,
		},
		{
			"wires that all bring nothing skip a node whose ports are all optional",
			branch().Node("b", "test.maybe").Wire("a.no", "b.value"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"a wired port that is not fed skips its node, optional or not",
			branch().Node("b", "test.maybe").Wire("a.no", "b.value").Wire("a.yes", "b.items"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"its default or config does not feed a wired port",
			branch().Node("b", "test.maybe", "preset", "set").Wire("a.no", "b.preset").Wire("a.yes", "b.items"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"an optional list that nothing comes to skips",
			branch().Node("b", "test.maybe").Wire("a.no", "b.items").Wire("a.no", "b.items").Wire("a.yes", "b.value"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"one of several wires feeds a list",
			branch().Node("b", "test.list").Wire("a.no", "b.items").Wire("a.yes", "b.items"),
			map[string]string{"a": ok, "b": ok},
			engine.StatusCompleted,
		},
		{
			"partial ports none of which is fed skip",
			branch().Node("b", "test.merge").Wire("a.no", "b.a").Wire("a.$error", "b.b"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"$after needs every one of its wires",
			branch().Node("b", "test.pass", "value", 1).Node("c", "test.pass", "value", 2).
				Wire("a.yes", "b.$after").Wire("a.$done", "b.$after").Wire("a.yes", "c.$after").Wire("a.no", "c.$after"),
			map[string]string{"a": ok, "b": ok, "c": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"$done comes of a success only",
			broken().Node("h", "test.pass").Node("b", "test.pass", "value", 1).Wire("a.$error", "h.value").Wire("a.$done", "b.$after"),
			map[string]string{"a": "failed failed handled", "h": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"a failure is handled by a wire into $after",
			broken().Node("b", "test.pass", "value", 1).Wire("a.$error", "b.$after"),
			map[string]string{"a": "failed failed handled", "b": ok},
			engine.StatusCompleted,
		},
		{
			"finally: a merge of $done and $error",
			broken().Node("m", "test.merge").Node("b", "test.pass", "value", 1).
				Wire("a.$done", "m.a").Wire("a.$error", "m.b").Wire("m.value", "b.$after"),
			map[string]string{"a": "failed failed handled", "m": ok, "b": ok},
			engine.StatusCompleted,
		},
		{
			"$when that is false skips its node and what follows",
			branch().Node("f", "test.pass", "value", false).Node("b", "test.pass", "value", 1).Node("c", "test.pass").
				Wire("f.value", "b.$when").Wire("b.value", "c.value"),
			map[string]string{"a": ok, "f": ok, "b": "skipped (b not_taken)", "c": "skipped (b not_taken)"},
			engine.StatusCompleted,
		},
		{
			"$when that is null is a type_error",
			NewFlow("w").Node("f", "test.pass", "value", nil).Node("b", "test.pass", "value", 1).Wire("f.value", "b.$when"),
			map[string]string{"f": ok, "b": "failed type_error"},
			engine.StatusFailed,
		},
		{
			"a failed wire skips as failed where $when is false",
			broken().Node("f", "test.pass", "value", false).Node("b", "test.pass").Wire("f.value", "b.$when").Wire("a.value", "b.value"),
			map[string]string{"a": "failed failed", "f": ok, "b": "skipped (a failed)"},
			engine.StatusFailed,
		},
		{
			"an output of the workflow obeys $when, too",
			NewFlow("w").Node("f", "test.pass", "value", false).Node("y", "test.output", "name", "y", "value", 1).Wire("f.value", "y.$when"),
			map[string]string{"f": ok, "y": "skipped (y not_taken)"},
			engine.StatusCompleted,
		},
		{
			"an unhandled failure skips what follows, and siblings go on",
			broken().Node("b", "test.pass").Node("c", "test.pass").Node("z", "test.pass", "value", 1).
				Wire("a.value", "b.value").Wire("b.value", "c.value"),
			map[string]string{"a": "failed failed", "b": "skipped (a failed)", "c": "skipped (a failed)", "z": ok},
			engine.StatusFailed,
		},
		{
			"a failed wire skips a merge that has another",
			broken().Node("x", "test.pass", "value", 1).Node("b", "test.merge").Wire("x.value", "b.a").Wire("a.value", "b.b"),
			map[string]string{"a": "failed failed", "x": ok, "b": "skipped (a failed)"},
			engine.StatusFailed,
		},
		{
			"a failed wire skips a fan-in that has another",
			broken().Node("x", "test.pass", "value", 1).Node("b", "test.list").Wire("x.value", "b.items").Wire("a.value", "b.items"),
			map[string]string{"a": "failed failed", "x": ok, "b": "skipped (a failed)"},
			engine.StatusFailed,
		},
		{
			"a failed wire counts more than one not taken",
			broken().Node("x", "test.mute").Node("b", "test.merge").Wire("x.value", "b.a").Wire("a.value", "b.b"),
			map[string]string{"a": "failed failed", "x": ok, "b": "skipped (a failed)"},
			engine.StatusFailed,
		},
		{
			"a handled failure: its outputs are not taken, the run completes",
			broken().Node("b", "test.pass").Node("h", "test.pass").Wire("a.value", "b.value").Wire("a.$error", "h.value"),
			map[string]string{"a": "failed failed handled", "b": "skipped (a not_taken)", "h": ok},
			engine.StatusCompleted,
		},
		{
			"a merge takes over from a handled failure",
			broken().Node("b", "test.merge").Wire("a.value", "b.a").Wire("a.$error", "b.b"),
			map[string]string{"a": "failed failed handled", "b": ok},
			engine.StatusCompleted,
		},
		{
			"the error port of a success is not taken",
			NewFlow("w").Node("a", "test.pass", "value", 1).Node("h", "test.pass").Wire("a.$error", "h.value"),
			map[string]string{"a": ok, "h": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"the error port of a skipped node does not handle what it did not do",
			broken().Node("b", "test.pass").Node("h", "test.pass").Wire("a.value", "b.value").Wire("b.$error", "h.value"),
			map[string]string{"a": "failed failed", "b": "skipped (a failed)", "h": "skipped (a failed)"},
			engine.StatusFailed,
		},
		{
			"a disabled node is skipped, and so is what requires it",
			NewFlow("w").Node("a", "test.pass").Disabled().Node("b", "test.pass").Wire("a.value", "b.value"),
			map[string]string{"a": "skipped (a disabled)", "b": "skipped (a disabled)"},
			engine.StatusCompleted,
		},
		{
			"a disabled node does not stop a merge",
			NewFlow("w").Node("a", "test.pass", "value", 1).Disabled().Node("x", "test.pass", "value", 2).
				Node("b", "test.merge").Wire("a.value", "b.a").Wire("x.value", "b.b"),
			map[string]string{"a": "skipped (a disabled)", "x": ok, "b": ok},
			engine.StatusCompleted,
		},
		{
			"a disabled node behind a failure is disabled",
			broken().Node("b", "test.pass").Disabled().Node("c", "test.pass").Wire("a.value", "b.value").Wire("b.value", "c.value"),
			map[string]string{"a": "failed failed", "b": "skipped (b disabled)", "c": "skipped (b disabled)"},
			engine.StatusFailed,
		},
		{
			"a disabled node may be incomplete",
			NewFlow("w").Node("x", "test.pass", "value", 1).Node("a", "test.typed").Disabled().Node("b", "test.upper").
				Wire("x.value", "a.value").Wire("a.value", "b.text"),
			map[string]string{"x": ok, "a": "skipped (a disabled)", "b": "skipped (a disabled)"},
			engine.StatusCompleted,
		},
		{
			"an output that is not emitted is not taken",
			NewFlow("w").Node("a", "test.mute").Node("b", "test.output", "name", "y").Wire("a.value", "b.value"),
			map[string]string{"a": ok, "b": "skipped (a not_taken)"},
			engine.StatusCompleted,
		},
		{
			"null is a value",
			NewFlow("w").Node("a", "test.pass", "value", nil).Node("b", "test.merge").Node("x", "test.pass", "value", 1).
				Wire("a.value", "b.a").Wire("x.value", "b.b"),
			map[string]string{"a": ok, "b": ok, "x": ok},
			engine.StatusCompleted,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := s.play(t, tt.flow)
			require.Equal(t, tt.want, p.States())
			require.Equal(t, tt.status, p.Status)
		})
	}
	t.Run("the error port tells what happened", func(t *testing.T) {
		p := s.play(t, broken().Node("h", "test.pass").Wire("a.$error", "h.value"))
		require.Equal(t, map[string]any{"code": "failed", "message": "broken", "nodeId": "a"}, p.node("h")["value"])
		require.Nil(t, p.Nodes["a"].Outputs, "what a failed node put out is taken back")
		require.Nil(t, p.Error)
	})
	t.Run("outputs of the run that were not emitted have no entry", func(t *testing.T) {
		p := s.play(t, branch().Node("y", "test.output", "name", "y").Node("n", "test.output", "name", "n").
			Wire("a.yes", "y.value").Wire("a.no", "n.value"))
		require.Equal(t, map[string]any{"y": 7}, p.Outputs)
	})
}
