package listops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/listops"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestTables(t *testing.T) {
	ada, bob, eve := record("id", 1, "name", "Ada"), record("id", 2, "name", "Bob"), record("id", nil, "name", "Eve")
	rome, oslo, nowhere := record("id", 1.0, "city", "Rome"), record("id", 3, "city", "Oslo"), record("id", nil, "city", "")
	people, cities := list(ada, bob, eve), list(rome, oslo, nowhere)
	sides := record("left", people, "right", cities)
	pair := record("id", 1, "name", "Ada", "city", "Rome")
	joined := func(result ...any) map[string]any {
		return record("result", list(result...), "unmatchedLeft", list(bob, eve), "unmatchedRight", list(oslo, nowhere))
	}
	sales := list(
		record("city", "Rome", "year", 2025, "sum", 3), record("city", "Oslo", "year", 2025, "sum", 1),
		record("city", "Rome", "year", 2026, "sum", 5), record("city", "Rome", "year", 2026, "sum", nil),
	)
	for _, tt := range []execCase{
		{"listops.chunk", record("size", 2), record("list", list(1, 2, 3, 4, 5)), record("chunks", list(list(1, 2), list(3, 4), list(5)), "count", 3)},
		{"listops.chunk", nil, record("list", list()), record("chunks", list(), "count", 0)},
		{"listops.join", record("by", "item.id"), sides, joined(pair)},
		{"listops.join", record("by", "item.id", "kind", "left"), sides, joined(pair, bob, eve)},
		{"listops.join", record("by", "item.id", "kind", "right"), sides, joined(pair, oslo, nowhere)},
		{"listops.join", record("by", "item.id", "kind", "full"), sides, joined(pair, bob, eve, oslo, nowhere)},
		{"listops.join", record("by", "item.id", "kind", "anti"), sides, joined(bob, eve)},
		{
			"listops.join", record("by", "item.a", "rightBy", "item.b", "prefix", "r."),
			record("left", list(record("a", 1, "x", "l")), "right", list(record("b", 1, "x", "r"), record("b", 1, "x", "l"))),
			record("result", list(record("a", 1, "b", 1, "x", "l", "r.x", "r"), record("a", 1, "b", 1, "x", "l")), "unmatchedLeft", list(), "unmatchedRight", list()),
		},
		{
			"listops.lookup", record("by", "item.id", "into", "at"), record("list", people, "table", cities),
			record("result", list(record("id", 1, "name", "Ada", "at", rome), record("id", 2, "name", "Bob", "at", nil), record("id", nil, "name", "Eve", "at", nil)), "missing", list(bob, eve)),
		},
		{
			"listops.lookup", record("by", "item.id", "tableBy", "item.city == 'Oslo' ? 1 : item.id", "many", true), record("list", list(ada), "table", cities),
			record("result", list(record("id", 1, "name", "Ada", "match", list(rome, oslo))), "missing", list()),
		},
		{
			"listops.diff", record("by", "item.id"), record("before", list(ada, bob), "after", list(record("id", 1.0, "name", "Ada"), record("id", 2, "name", "Rob"), oslo)),
			record("added", list(oslo), "removed", list(), "changed", list(record("key", 2, "before", bob, "after", record("id", 2, "name", "Rob"))), "same", 1),
		},
		{"listops.diff", record("by", "item.id"), record("before", list(ada), "after", list()), record("added", list(), "removed", list(ada), "changed", list(), "same", 0)},
		{
			"listops.select", record("fields", record("who", "upper(item.name)", "nr", "index + 1")), record("list", list(ada, bob)),
			record("result", list(record("who", "ADA", "nr", 1), record("who", "BOB", "nr", 2))),
		},
		{"listops.select", record("fields", record("name", "nil"), "keepOthers", true), record("list", list(ada)), record("result", list(record("id", 1, "name", nil)))},
		{
			"listops.aggregate", record("by", list("city"), "values", record(
				"n", "count", "known", "count sum", "total", "sum sum", "mean", "mean sum", "least", "min sum", "most", "max item.sum",
				"first", "first year", "last", "last sum", "all", "list sum", "years", "distinct year")),
			record("list", sales),
			record("result", list(
				record("city", "Rome", "n", 3, "known", 2, "total", 8, "mean", 4.0, "least", 3, "most", 5, "first", 2025, "last", nil, "all", list(3, 5, nil), "years", list(2025, 2026)),
				record("city", "Oslo", "n", 1, "known", 1, "total", 1, "mean", 1.0, "least", 1, "most", 1, "first", 2025, "last", 1, "all", list(1), "years", list(2025)),
			)),
		},
		{"listops.aggregate", record("by", list(), "values", record("n", "count", "m", "mean x", "s", "sum x", "l", "list x")), record("list", list()), record("result", list(record("n", 0, "m", nil, "s", 0, "l", list())))},
		{"listops.aggregate", record("by", list("a.b"), "values", record("s", "sum item.x * 0.5")), record("list", list(record("a", record("b", 1), "x", 3), record("x", 1))), record("result", list(record("a.b", 1, "s", 1.5), record("a.b", nil, "s", 0.5)))},
		{
			"listops.pivot", record("rows", "city", "columns", "year", "value", "sum"), record("list", sales),
			record("result", list(record("city", "Rome", "2025", 3, "2026", 5), record("city", "Oslo", "2025", 1, "2026", nil)), "columns", list("2025", "2026")),
		},
		{
			"listops.pivot", record("rows", "item.year > 2025", "columns", "city", "value", "sum", "how", "count"), record("list", sales),
			record("result", list(record("item.year > 2025", false, "Rome", 1, "Oslo", 1), record("item.year > 2025", true, "Rome", 1, "Oslo", nil)), "columns", list("Rome", "Oslo")),
		},
	} {
		out, err := nodetest.New(t, listops.Plugin()).Exec(tt.typ, tt.config, tt.inputs)
		require.NoError(t, err, "%s %v", tt.typ, tt.config)
		require.Equal(t, tt.want, out, "%s %v", tt.typ, tt.config)
	}
}

func TestTableFailures(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	twice := list(record("id", 1), record("id", 2), record("id", 1.0))
	many := make([]any, 1_100)
	for i := range many {
		many[i] = record("k", i, "same", 0)
	}
	for _, tt := range []struct {
		typ            string
		config, inputs map[string]any
		code, message  string
	}{
		{"listops.chunk", record("size", 0), record("list", list(1)), node.CodeInvalidInput, "give 1 or more"},
		{"listops.diff", record("by", "item.id"), record("before", list(), "after", twice), node.CodeInvalidInput, "items 0 and 2 of after have the same key"},
		{"listops.diff", record("by", "item.no"), record("before", twice, "after", list()), node.CodeInvalidInput, "item 0 of before has no key"},
		{"listops.join", record("by", "item.same"), record("left", many, "right", many), node.CodeLimitExceeded, "pairs; a list made here may have"},
		{"listops.select", record("fields", record("a", "item.id - item.x")), record("list", twice), node.CodeFailed, "a: the expression fails for item 0"},
		{"listops.aggregate", record("by", list(), "values", record("s", "sum item")), record("list", twice), node.CodeTypeError, "s of item 0: it is record"},
		{"listops.pivot", record("rows", "same", "columns", "k", "value", "k"), record("list", many), node.CodeLimitExceeded, "more than 1000 columns"},
		{"listops.pivot", record("rows", "same", "columns", "'same'", "value", "k"), record("list", many), node.CodeInvalidInput, "a column would be called same"},
	} {
		_, err := h.Exec(tt.typ, tt.config, tt.inputs)
		require.Equal(t, tt.code, node.CodeOf(err), "%s %v", tt.typ, err)
		require.ErrorContains(t, err, tt.message)
		require.True(t, node.IsPermanent(err))
	}
}

func TestTableProblems(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	for _, tt := range []struct {
		typ     string
		config  map[string]any
		port    string
		message string
	}{
		{"listops.join", record("by", "item.id", "rightBy", "item."), "rightBy", "the expression is wrong"},
		{"listops.select", record("fields", record("a", "itm.b")), "fields", "a: the expression is wrong: unknown name itm"},
		{"listops.select", record("fields", record("a", 1)), "fields", "a is no expression"},
		{"listops.aggregate", record("by", list("a-"), "values", record()), "by", "a-: the expression is wrong"},
		{"listops.aggregate", record("by", list("a"), "values", record("x", "average b")), "values", `x: "average" is no calculation`},
		{"listops.aggregate", record("by", list("a"), "values", record("x", "sum")), "values", "x: sum of what?"},
		{"listops.aggregate", record("by", list("a"), "values", record("a", "count")), "values", "a is a field of by already"},
		{"listops.pivot", record("rows", "a", "columns", "b c", "value", "d"), "columns", "the expression is wrong"},
	} {
		wired := map[string][]string{"listops.join": {"left", "right"}}[tt.typ]
		if wired == nil {
			wired = []string{"list"}
		}
		problems := h.Problems(tt.typ, tt.config, wired...)
		require.Len(t, problems, 1, "%s %v", tt.typ, problems)
		require.Equal(t, tt.port, problems[0].Port)
		require.Contains(t, problems[0].Message, tt.message)
	}
}
