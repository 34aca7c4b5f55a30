package value_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// TestWeight compares what values are said to take with what they do take.
func TestWeight(t *testing.T) {
	for name, build := range map[string]func(n int) any{
		"numbers": func(n int) any { return listOf(n, func(i int) any { return 1000 + i }) },
		"texts":   func(n int) any { return listOf(n, func(int) any { return strings.Repeat("x", 100) }) },
		"lists":   func(n int) any { return listOf(n, func(i int) any { return []any{1000 + i, nil} }) },
		"records": func(n int) any { return listOf(n, func(i int) any { return map[string]any{"a": 1000 + i} }) },
		"wide records": func(n int) any {
			return listOf(n/10, func(i int) any {
				record := map[string]any{}
				for k := range 26 {
					record[string(rune('a'+k))] = 1000 + i
				}
				return record
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			v := build(100_000)
			runtime.GC()
			runtime.ReadMemStats(&after)
			taken := int(after.HeapAlloc) - int(before.HeapAlloc)
			require.InEpsilon(t, taken, value.Weight(v), 0.5)
			var s value.Scale
			s.Add(v)
			require.InEpsilon(t, value.Weight(v), s.Sum(), 0.01)
		})
	}
}

// TestScaleCountsPartsOnce weighs values that have parts in common.
func TestScaleCountsPartsOnce(t *testing.T) {
	text := strings.Repeat("x", 1000)
	record := map[string]any{"text": text}
	list := listOf(100, func(int) any { return record })
	var once, all value.Scale
	once.Add(list)
	all.Add(list)
	all.Add(list[:50])
	all.Add(record)
	all.Add(map[string]any{"list": list, "text": text})
	require.Less(t, all.Sum(), once.Sum()+1000)
	require.Greater(t, value.Weight(list), 100*1000)
	require.Less(t, once.Sum(), 5000)
}

// TestScaleSeesLongerLists weighs a part of a list before the whole of it.
func TestScaleSeesLongerLists(t *testing.T) {
	list := listOf(100, func(int) any { return strings.Repeat("x", 1000) })
	var s value.Scale
	s.Add(list[:1:1])
	s.Add(list)
	require.Greater(t, s.Sum(), 100*1000)
	require.Less(t, s.Sum(), 110*1000)
}

func listOf(n int, item func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = item(i)
	}
	return list
}
