package listops_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/listops"
	"github.com/svcflow/svc/nodes/nodetest"
)

// sample generates random lists with many equal items.
type sample struct{ *rand.Rand }

func (s sample) item(depth int) any {
	switch s.IntN(8 - min(depth, 2)) {
	case 0:
		return nil
	case 1:
		return s.IntN(2) == 0
	case 2:
		return s.IntN(5) - 2
	case 3:
		return float64(s.IntN(9)-4) / 2
	case 4, 5:
		return []string{"", "a", "b", "ab", "é"}[s.IntN(5)]
	case 6:
		return s.list(depth + 1)
	}
	return map[string]any{"k": s.item(depth + 1)}
}

func (s sample) list(depth int) []any {
	items := make([]any, s.IntN(20>>(2*depth)+1))
	for i := range items {
		items[i] = s.item(depth)
	}
	return items
}

// modelEqual compares two values in a slow and obvious way.
func modelEqual(a, b any) bool {
	return reflect.DeepEqual(modelFloats(a), modelFloats(b))
}

// modelFloats converts all numbers to floats; small ints are exact.
func modelFloats(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case []any:
		items := make([]any, len(v))
		for i, e := range v {
			items[i] = modelFloats(e)
		}
		return items
	case map[string]any:
		fields := map[string]any{}
		for k, e := range v {
			fields[k] = modelFloats(e)
		}
		return fields
	}
	return v
}

func execute(t *testing.T, typ string, inputs map[string]any, output string) any {
	t.Helper()
	out, err := nodetest.New(t, listops.Plugin()).Exec(typ, nil, inputs)
	require.NoError(t, err)
	return out[output]
}

func forSamples(test func(s sample, items []any)) {
	s := sample{rand.New(rand.NewPCG(3, 4))}
	for range 300 {
		test(s, s.list(0))
	}
}

func TestUniqueAndGroupByModels(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	forSamples(func(_ sample, items []any) {
		distinct, groups := list(), list()
		for _, item := range items {
			equal := func(e any) bool { return modelEqual(e, item) }
			if i := slices.IndexFunc(distinct, equal); i >= 0 {
				g := groups[i].(map[string]any)
				g["items"], g["count"] = append(g["items"].([]any), item), g["count"].(int)+1
				continue
			}
			distinct = append(distinct, item)
			groups = append(groups, record("key", item, "items", list(item), "count", 1))
		}
		require.Equal(t, distinct, execute(t, "listops.unique", record("list", items), "result"))
		out, err := h.Exec("listops.group_by", record("by", "item"), record("list", items))
		require.NoError(t, err)
		require.Equal(t, groups, out["groups"])
	})
}

// indexed wraps each item with its index, to tell equal ones apart.
func indexed(items []any) []any {
	records := list()
	for i, item := range items {
		records = append(records, record("v", item, "i", i))
	}
	return records
}

// The sorted list has the same items, and none before a smaller one. Sorting it again
// changes nothing. Equal items keep their order in both directions.
func TestSortProperties(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	sorted := func(items []any, descending bool) []any {
		out, err := h.Exec("listops.sort", record("by", "item.v", "descending", descending), record("list", items))
		require.NoError(t, err)
		return out["result"].([]any)
	}
	forSamples(func(_ sample, items []any) {
		before := indexed(items)
		up, down := sorted(before, false), sorted(before, true)
		require.ElementsMatch(t, before, up)
		require.Equal(t, up, sorted(up, false))
		require.Equal(t, groupsOf(up), reversed(groupsOf(down)))
		for _, g := range groupsOf(up) {
			require.True(t, slices.IsSortedFunc(g.([]any), func(a, b any) int {
				return a.(map[string]any)["i"].(int) - b.(map[string]any)["i"].(int)
			}))
		}
	})
}

// groupsOf groups equal neighbours.
func groupsOf(records []any) []any {
	groups := list()
	for i, r := range records {
		if i > 0 && modelEqual(r.(map[string]any)["v"], records[i-1].(map[string]any)["v"]) {
			last := groups[len(groups)-1].([]any)
			groups[len(groups)-1] = append(last, r)
			continue
		}
		groups = append(groups, list(r))
	}
	return groups
}

func reversed(items []any) []any {
	items = slices.Clone(items)
	slices.Reverse(items)
	return items
}

func TestSliceGetAndReduceModels(t *testing.T) {
	h := nodetest.New(t, listops.Plugin())
	forSamples(func(s sample, items []any) {
		start, end := s.IntN(50)-25, s.IntN(50)-25
		// An index is in a slice if start <= index < end.
		from, to := start, end
		if from < 0 {
			from += len(items)
		}
		if to < 0 {
			to += len(items)
		}
		want, sum := list(), 0
		numbers := make([]any, len(items))
		for i, item := range items {
			if i >= from && i < to {
				want = append(want, item)
			}
			numbers[i] = s.IntN(100)
			sum = sum*3 + numbers[i].(int) - i
		}
		require.Equal(t, want, execute(t, "listops.slice", record("list", items, "start", start, "end", end), "result"))
		one := list()
		if from >= 0 && from < len(items) {
			one = list(items[from])
		}
		got := execute(t, "listops.get", record("list", items, "index", start), "item")
		require.Equal(t, append(one, nil)[0], got)
		out, err := h.Exec("listops.reduce", record("expression", "acc * 3 + item - index"), record("list", numbers, "initial", 0))
		require.NoError(t, err)
		require.Equal(t, sum, out["result"])
	})
}

// concat and flatten with the depth 1 have the same result.
func TestConcatAndFlattenAgree(t *testing.T) {
	forSamples(func(s sample, items []any) {
		lists := list(items, s.list(0), s.list(1))
		require.Equal(t, execute(t, "listops.flatten", record("list", lists), "result"), execute(t, "listops.concat", record("lists", lists), "result"))
		for _, e := range execute(t, "listops.flatten", record("list", lists, "depth", -1), "result").([]any) {
			require.NotEqual(t, reflect.Slice, reflect.ValueOf(e).Kind())
		}
	})
}
