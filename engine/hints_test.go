package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
)

func TestHints(t *testing.T) {
	branch := func() *enginetest.Flow {
		return enginetest.NewFlow("w").Node("a", "test.branch", "condition", true, "value", 7).Node("x", "test.pass", "value", 1)
	}
	tests := []struct {
		name string
		flow *enginetest.Flow
		want map[string]string // "node.port" → the output that may be missing
	}{
		{
			"an optional input on a side of a branch, the others on none",
			branch().Node("b", "test.maybe").Wire("a.no", "b.value").Wire("x.value", "b.items"),
			map[string]string{"b.value": `"no" of "a"`},
		},
		{
			"further down that side, too",
			branch().Node("c", "test.pass").Node("b", "test.maybe").Wire("a.no", "c.value").Wire("c.value", "b.preset").Wire("x.value", "b.items"),
			map[string]string{"b.preset": `"no" of "a"`},
		},
		{
			"all inputs on one side",
			branch().Node("b", "test.maybe").Wire("a.no", "b.value").Wire("a.no", "b.items"),
			nil,
		},
		{
			"one input is all there is",
			branch().Node("b", "test.maybe").Wire("a.no", "b.value"),
			nil,
		},
		{
			"both sides merged",
			branch().Node("m", "test.merge").Node("b", "test.maybe").Wire("a.no", "m.a").Wire("a.yes", "m.b").
				Wire("m.value", "b.value").Wire("x.value", "b.items"),
			nil,
		},
		{
			"a list that both sides feed",
			branch().Node("b", "test.maybe").Wire("a.no", "b.items").Wire("a.yes", "b.items").Wire("x.value", "b.value"),
			nil,
		},
		{
			"said with $when",
			branch().Node("b", "test.maybe").Wire("a.no", "b.value").Wire("a.no", "b.$after").Wire("x.value", "b.items"),
			nil,
		},
		{
			"an input from an error port",
			branch().Node("b", "test.maybe").Wire("x.$error", "b.value").Wire("a.$done", "b.items"),
			map[string]string{"b.value": `"$error" of "x"`},
		},
		{
			"an output of a node whose failure is handled",
			branch().Node("h", "test.pass").Node("b", "test.maybe").Wire("x.$error", "h.value").Wire("x.value", "b.value").Wire("a.$done", "b.items"),
			map[string]string{"b.value": `"$done" of "x"`},
		},
		{
			"behind a condition of another node",
			branch().Node("c", "test.pass", "value", 1).Node("b", "test.maybe").
				Wire("x.$done", "c.$when").Wire("c.value", "b.value").Wire("x.value", "b.items"),
			map[string]string{"b.value": `"c"`},
		},
		{
			"in a body",
			enginetest.NewFlow("w").Node("loop", "test.foreach", "list", []any{1}).Body(
				branch().Node("b", "test.maybe").Wire("a.no", "b.value").Wire("x.value", "b.items")),
			map[string]string{"loop/b.value": `"no" of "a"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hints := engine.Hints(enginetest.NewKit().Compile(t, tt.flow))
			require.Len(t, hints, len(tt.want))
			for _, h := range hints {
				what := tt.want[h.NodeID+"."+h.Port]
				require.NotEmpty(t, what, h)
				require.Contains(t, h.Message, "where "+what+" does not come")
			}
		})
	}
}

// TestHintsAreLinear checks that the needs of thousands of branches in a row are too many
// to list, and take no longer to compute.
func TestHintsAreLinear(t *testing.T) {
	f := enginetest.NewFlow("w").Node("n0", "test.pass", "value", true)
	last := "n0.value"
	for i := range 20_000 {
		id := "b" + string(rune('a'+i%26)) + t.Name() + string(rune(0x4e00+i))
		f.Node(id, "test.branch", "condition", true).Wire(last, id+".value")
		last = id + ".yes"
	}
	require.Empty(t, engine.Hints(enginetest.NewKit().Compile(t, f)))
}

// TestHintsOfWideNodes has a node with thousands of optional inputs, all wired to an output
// that may be missing, inside a workflow that thousands of nodes call.
func TestHintsOfWideNodes(t *testing.T) {
	kit := enginetest.NewKit()
	const wide = 4_000
	f := enginetest.NewFlow("wide").Node("b", "test.branch", "condition", true).Node("p", "test.ports", "count", wide)
	for i := range wide {
		f.Wire("b.yes", fmt.Sprintf("p.in%d", i))
	}
	kit.Store(f.Definition())
	calls := enginetest.NewFlow("w")
	for i := range wide {
		calls.Node(fmt.Sprint("n", i), "test.sub", "workflowId", "wide")
	}
	require.Empty(t, engine.Hints(kit.Compile(t, calls)), "all of them need the same")
}
