package listops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/listops"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestSpecs(t *testing.T) { nodetest.Check(t, listops.Plugin()) }

func TestRandom(t *testing.T) {
	expressions := []map[string]any{
		nil,
		{"expression": `item`},
		{"expression": `[index, item, vars]`},
		{"expression": `item.k1?.k2 == nil`},
		{"expression": `string(item) + toJSON(vars)`},
		{"expression": `{a: item?.k1, b: type(item)}`},
		{"expression": `item < 3`},
		{"expression": `groupBy(item, #)`},
		{"expression": `uniq(flatten([item, vars]))`},
	}
	reductions := append(expressions, map[string]any{"expression": `[acc, item]`}, map[string]any{"expression": `acc + index`})
	by := []map[string]any{
		nil, {"by": `item`}, {"by": `item.k1`}, {"by": `item?.k1`}, {"by": `[type(item), item]`}, {"by": `index % 2`}, {"by": `index * 0.5`}, {"by": `item.Network`},
	}
	both := []map[string]any{{"by": `item.k1`}, {"by": `item`, "rightBy": `item.k2`, "tableBy": `index`, "kind": "full", "many": true}}
	nodetest.Quick(t, listops.Plugin(), map[string][]map[string]any{
		"listops.join": both, "listops.lookup": both, "listops.diff": {{"by": `item.k1`}, {"by": `index`}},
		"listops.select":    {nil, {"fields": map[string]any{"a": `item.k1`, "b": `{i: index, all: item}`}, "keepOthers": true}},
		"listops.aggregate": {nil, {"by": []any{"k1", "item.k2"}, "values": map[string]any{"n": "count", "s": "sum k1", "l": "list item", "d": "distinct k2", "m": "min k1"}}},
		"listops.pivot":     {{"rows": "k1", "columns": "k2", "value": "k1", "how": "count"}, {"rows": "k1", "columns": "index", "value": "item"}},
		"listops.map":       expressions, "listops.filter": expressions, "listops.reduce": reductions,
		"listops.sort": by, "listops.group_by": by, "listops.unique": by, "listops.sum": by,
	})
}

func TestFilter(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	config := map[string]any{"expression": "item.total > vars.limit"}
	small, large := record("total", 1), record("total", 101)
	out, err := h.Exec("listops.filter", config, map[string]any{"list": []any{small, large}, "vars": record("limit", 100)})
	require.NoError(t, err)
	require.Equal(t, record("result", []any{large}, "rejected", []any{small}), out)

	out, err = h.Exec("listops.filter", map[string]any{"expression": "item.on"}, map[string]any{"list": []any{record(), record("on", true)}})
	require.NoError(t, err)
	require.Equal(t, record("result", []any{record("on", true)}, "rejected", []any{record()}), out)

	_, err = h.Exec("listops.filter", map[string]any{"expression": "item.total"}, map[string]any{"list": []any{small}})
	require.Equal(t, node.CodeTypeError, node.CodeOf(err))
	require.ErrorContains(t, err, "gives int for item 0")
}

func TestMapOfNothing(t *testing.T) {
	out, err := nodetest.New(t, listops.Plugin()).Exec("listops.map", map[string]any{"expression": "item.x"}, map[string]any{"list": []any{}})
	require.NoError(t, err)
	require.Equal(t, record("result", []any{}), out)
}

func TestRange(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	for _, tt := range []struct {
		start, end, step int
		want             []any
	}{
		{0, 5, 2, []any{0, 2, 4}},
		{0, 4, 2, []any{0, 2}},
		{3, 0, -1, []any{3, 2, 1}},
		{3, 0, -2, []any{3, 1}},
		{0, 3, -1, []any{}},
		{3, 0, 1, []any{}},
		{2, 2, 1, []any{}},
		{math.MinInt, math.MaxInt, math.MaxInt, []any{math.MinInt, -1, math.MaxInt - 1}},
		{math.MaxInt, math.MinInt, math.MinInt, []any{math.MaxInt, -1}},
		{math.MinInt, math.MinInt + 2, 1, []any{math.MinInt, math.MinInt + 1}},
	} {
		out, err := h.Exec("listops.range", nil, record("start", tt.start, "end", tt.end, "step", tt.step))
		require.NoError(t, err)
		require.Equal(t, tt.want, out["result"], "%+v", tt)
	}
	out, err := h.Exec("listops.range", record("end", 2), nil)
	require.NoError(t, err)
	require.Equal(t, []any{0, 1}, out["result"])

	_, err = h.Exec("listops.range", record("end", 2, "step", 0), nil)
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	for _, end := range []int{1_000_001, math.MaxInt} {
		_, err = h.Exec("listops.range", record("end", end), nil)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	}
	out, err = h.Exec("listops.range", record("end", 1_000_000), nil)
	require.NoError(t, err)
	require.Len(t, out["result"], 1_000_000)
}

func TestLength(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	out, err := h.Exec("listops.length", nil, record("list", []any{1, nil}))
	require.NoError(t, err)
	require.Equal(t, record("length", 2), out)
	out, err = h.Exec("listops.length", nil, record("list", "alone"))
	require.NoError(t, err)
	require.Equal(t, record("length", 1), out)
}

// BenchmarkW4 runs the two expressions of workload W4 on its 1,000 records.
func BenchmarkW4(b *testing.B) {
	items := workload()
	registry, err := node.NewRegistry(listops.Plugin())
	require.NoError(b, err)
	bind := func(typ, expression string) node.Call {
		n, _ := registry.Lookup(typ)
		bound, problems := n.Bind(node.Binding{
			Spec: &n.Spec, Config: map[string]any{"expression": expression}, Wired: func(string) bool { return false },
		})
		require.Empty(b, problems)
		return bound.Call
	}
	mapping := bind("listops.map", "{id: item.id, active: item.active, total: item.price * item.qty}")
	filter := bind("listops.filter", "item.active && item.total > 100")
	b.ReportAllocs()
	for b.Loop() {
		out := []any{nil, nil}
		require.NoError(b, mapping(b.Context(), []any{items, "", node.Absent{}}, out[:1]))
		require.NoError(b, filter(b.Context(), []any{out[0], "", node.Absent{}}, out))
	}
}

// workload returns the records of W4.
func workload() []any {
	items := make([]any, 1000)
	for i := range items {
		items[i] = record(
			"id", i, "name", fmt.Sprintf("item-%04d", i), "category", string(rune('a'+i%5)), "price", float64(i*7919%9973)/100,
			"qty", 1+i%9, "active", i%3 > 0, "note", fmt.Sprint("lorem ipsum x", i),
		)
	}
	return items
}
