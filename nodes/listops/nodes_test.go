package listops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/listops"
	"github.com/svcflow/svc/nodes/nodetest"
)

// execCase is a call of one node.
type execCase struct {
	typ    string
	config map[string]any
	inputs map[string]any
	want   map[string]any
}

func list(items ...any) []any { return append([]any{}, items...) }

func TestNodes(t *testing.T) {
	small, large, medium := record("id", 1, "size", "S"), record("id", 2, "size", "L"), record("id", 3, "size", "S")
	records, abcd, nested := list(small, large, medium), list("a", "b", "c", "d"), list(1, list(2, list(3, list())))
	group := func(key any, items ...any) any { return record("key", key, "items", items, "count", len(items)) }
	result := func(items ...any) map[string]any { return record("result", list(items...)) }
	for _, tt := range []execCase{
		{"listops.reduce", record("expression", "acc + item"), record("list", list(1, 2, 3), "initial", 10), record("result", 16)},
		{"listops.reduce", record("expression", "acc + item", "initial", nil), record("list", list()), record("result", nil)},
		{"listops.reduce", record("expression", "{n: acc.n + item * index * vars.x}"), record("list", list(1, 2), "initial", record("n", 1), "vars", record("x", 3)), record("result", record("n", 7))},
		{"listops.reduce", record("expression", "concat([item], acc)"), record("list", abcd, "initial", list()), result("d", "c", "b", "a")},
		{"listops.sort", nil, record("list", list(3, "a", 1.5, nil, true, record(), list(), 2)), result(nil, true, 1.5, 2, 3, "a", list(), record())},
		{"listops.sort", record("by", "item.size"), record("list", records), result(large, small, medium)},
		{"listops.sort", record("by", "item.size", "descending", true), record("list", records), result(small, medium, large)},
		{"listops.sort", record("by", "[item.size, -item.id]"), record("list", records), result(large, medium, small)},
		{"listops.sort", record("by", "item[vars.field]"), record("list", records, "vars", record("field", "size")), result(large, small, medium)},
		{"listops.group_by", record("by", "item.size"), record("list", records), record("groups", list(group("S", small, medium), group("L", large)))},
		{"listops.group_by", record("by", "item"), record("list", list(1, "1", 1.0, nil, nil)), record("groups", list(group(1, 1, 1.0), group("1", "1"), group(nil, nil, nil)))},
		{"listops.group_by", record("by", "item"), record("list", list()), record("groups", list())},
		{"listops.unique", nil, record("list", list(3, 1, 3.0, "3", list(1), list(1.0), record("a", 1), record("a", 1))), result(3, 1, "3", list(1), record("a", 1))},
		{"listops.unique", record("by", "item.size"), record("list", records), result(small, large)},
		{"listops.zip", nil, record("listA", list("x", "y"), "listB", list(1, 2, 3)), result(record("a", "x", "b", 1), record("a", "y", "b", 2))},
		{"listops.zip", nil, record("listA", list(), "listB", list(1)), result()},
		{"listops.flatten", nil, record("list", nested), result(1, 2, list(3, list()))},
		{"listops.flatten", record("depth", 2), record("list", nested), result(1, 2, 3, list())},
		{"listops.flatten", record("depth", -1), record("list", nested), result(1, 2, 3)},
		{"listops.flatten", record("depth", 0), record("list", nested), result(nested...)},
		{"listops.slice", record("start", 1, "end", 3), record("list", abcd), result("b", "c")},
		{"listops.slice", record("start", -2), record("list", abcd), result("c", "d")},
		{"listops.slice", record("end", -1), record("list", abcd), result("a", "b", "c")},
		{"listops.slice", record("end", nil), record("list", abcd), result(abcd...)},
		{"listops.slice", record("start", 3, "end", 1), record("list", abcd), result()},
		{"listops.slice", record("start", math.MinInt, "end", math.MaxInt), record("list", abcd), result(abcd...)},
		{"listops.get", record("index", 0), record("list", abcd), record("item", "a", "found", true)},
		{"listops.get", record("index", -1), record("list", abcd), record("item", "d", "found", true)},
		{"listops.get", record("index", 4), record("list", abcd), record("item", nil, "found", false)},
		{"listops.get", record("index", -5), record("list", abcd), record("item", nil, "found", false)},
		{"listops.get", record("index", math.MinInt), record("list", list()), record("item", nil, "found", false)},
		{"listops.get", record("index", 0), record("list", list(nil)), record("item", nil, "found", true)},
		{"listops.concat", nil, record("lists", list(list(1, 2), list(), list(3))), result(1, 2, 3)},
		{"listops.concat", nil, record("lists", list()), result()},
		{"listops.sum", nil, record("list", list(2, 4, 0.5)), record("sum", 6.5, "min", 0.5, "max", 4, "mean", 6.5/3, "count", 3)},
		{"listops.sum", nil, record("list", list()), record("sum", 0.0, "min", nil, "max", nil, "mean", nil, "count", 0)},
		{"listops.sum", nil, record("list", slices.Repeat(list(0.1), 10)), record("sum", 1.0, "min", 0.1, "max", 0.1, "mean", 0.1, "count", 10)},
		{"listops.sum", nil, record("list", list(1<<53, 1, 1)), record("sum", float64(1<<53+2), "min", 1, "max", 1<<53, "mean", float64(1<<53+2)/3, "count", 3)},
		{"listops.sum", nil, record("list", list(math.MaxInt, math.MaxInt, -1.0)), record("sum", 0x1p64, "min", -1.0, "max", math.MaxInt, "mean", 0x1p64/3, "count", 3)},
		{"listops.sum", record("by", "item.id * 2"), record("list", records), record("sum", 12.0, "min", 2, "max", 6, "mean", 4.0, "count", 3)},
	} {
		out, err := nodetest.New(t, listops.Plugin()).Exec(tt.typ, tt.config, tt.inputs)
		require.NoError(t, err, "%s %v", tt.typ, tt.config)
		require.Equal(t, tt.want, out, "%s %v", tt.typ, tt.config)
	}
}

func TestNodeFailures(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	for _, tt := range []struct {
		typ, expression string
		items           []any
		code, message   string
	}{
		{"listops.sum", "item", list(1, "2"), node.CodeTypeError, "item 1 gives string and not a number"},
		{"listops.sum", "item.total", list(record()), node.CodeTypeError, "item 0 gives null"},
		{"listops.sum", "item", list(math.MaxFloat64, math.MaxFloat64), node.CodeNotFinite, "largest float"},
		{"listops.sum", "item / 0", list(1), node.CodeNotFinite, "item 0"},
		{"listops.sort", "item.a.b", list(record()), node.CodeFailed, "item 0"},
		{"listops.unique", "item - 1", list(1, "a"), node.CodeFailed, "item 1"},
		{"listops.group_by", "item[0]", list(1), node.CodeFailed, "item 0"},
	} {
		_, err := h.Exec(tt.typ, record("by", tt.expression), record("list", tt.items))
		require.Equal(t, tt.code, node.CodeOf(err), "%s %s: %v", tt.typ, tt.expression, err)
		require.ErrorContains(t, err, tt.message)
		require.True(t, node.IsPermanent(err))
	}
	_, err := h.Exec("listops.reduce", record("expression", "acc - item"), record("list", list(1, "x"), "initial", 0))
	require.Equal(t, node.CodeFailed, node.CodeOf(err))
	require.ErrorContains(t, err, "item 1")
}

func TestByProblems(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	for _, typ := range []string{"listops.sort", "listops.unique", "listops.group_by", "listops.sum"} {
		problems := h.Problems(typ, record("by", "acc + 1"), "list")
		require.Len(t, problems, 1, typ)
		require.Equal(t, "by", problems[0].Port)
		require.Contains(t, problems[0].Message, "unknown name acc (line 1, character 1)")
		require.Equal(t, "the variables are item, index and vars, as in item.price > vars.limit", problems[0].Hint)
	}
	require.Equal(t, "missing_required_input", h.Problems("listops.group_by", nil, "list")[0].Code)
	require.Contains(t, h.Problems("listops.reduce", record("expression", "ac"), "list", "initial")[0].Hint, "acc, item, index and vars")
}
