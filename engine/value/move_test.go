package value_test

import (
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// TestWhatIsMovedInSteps has what is shorter, as long as and longer than steps arrive whole, in
// memory of its own that is not larger than it.
func TestWhatIsMovedInSteps(t *testing.T) {
	for _, n := range []int{0, 1, 16<<10 - 1, 16 << 10, 16<<10 + 1, 100_000} {
		list := make([]any, n)
		for i := range list {
			list[i] = i
		}
		all := value.Concat(list, nil, list[:n/2], list)
		require.NotNil(t, all)
		require.True(t, slices.Equal(slices.Concat(list, list[:n/2], list), all), n)
		require.Equal(t, len(all), cap(all))

		text := []byte(strings.Repeat("0123456789abcdef", n))
		require.Equal(t, string(text), value.Text(text))
		more := value.Grow(slices.Clip(text), 1000)
		require.Equal(t, text, more)
		if len(text) > 256<<10 {
			require.GreaterOrEqual(t, cap(more), len(text)+1000)
		}
	}
}

// TestMemoryOfLongTexts holds that a long text is printed and read without copies of it that
// nobody needs.
func TestMemoryOfLongTexts(t *testing.T) {
	const n = 8 << 20
	long := strings.Repeat("x", n)
	bytes := func(do func()) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	var text []byte
	require.Less(t, bytes(func() { text = value.Append(nil, long) }), n+n/4)
	require.Less(t, bytes(func() { require.NotEmpty(t, value.Text(text)) }), n+n/4)

	const some = 100_000 // as texts come that others write, with escapes
	escaped := `"` + strings.Repeat(`\"x`, some/2) + `"`
	var v any
	least := math.MaxInt
	for range 10 { // a collection may take what is there for all
		least = min(least, bytes(func() { v, _ = value.DecodeText(escaped) }))
	}
	require.Len(t, v, some)
	require.Less(t, least, some+some/4)
}

// BenchmarkMove tells how long others stand still at most while much is moved and garbage is
// collected beside it.
func BenchmarkMove(b *testing.B) {
	list, text := make([]any, 8<<20), make([]byte, 128<<20)
	for name, move := range map[string]func(){
		"Concat":        func() { value.Concat(list) },
		"slices.Concat": func() { runtime.KeepAlive(slices.Concat(list)) },
		"Text":          func() { value.Text(text) },
		"string":        func() { runtime.KeepAlive(string(text)) },
	} {
		b.Run(name, func(b *testing.B) {
			before := stops()
			done := make(chan struct{})
			collected := make(chan struct{})
			go func() {
				defer close(collected)
				for {
					select {
					case <-done:
						return
					default:
						runtime.GC()
					}
				}
			}()
			for b.Loop() {
				move()
			}
			close(done)
			<-collected
			b.ReportMetric(1e3*longest(before, stops()), "ms-stop")
		})
	}
}

func stops() *metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64Histogram()
}

// longest returns the longest stop between two looks, in seconds.
func longest(before, after *metrics.Float64Histogram) float64 {
	for i, count := range slices.Backward(after.Counts) {
		if count > before.Counts[i] {
			return after.Buckets[i]
		}
	}
	return 0
}
