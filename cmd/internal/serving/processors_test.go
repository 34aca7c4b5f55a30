package serving

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A thread is free for short work even if all CPU slots are taken and the collector works.
func TestThreadIsFreeForShortWork(t *testing.T) {
	for processors := 1; processors <= 256; processors++ {
		n := atOnce(processors)
		computes, collector := max(1, processors-1), n/4
		require.Positive(t, n-computes-collector, "%d processors", processors)
		require.Zero(t, n%4, "the collector has whole ones")
		require.Less(t, n, processors*3/2+4, "not many more than there are")
	}
}

func TestSpread(t *testing.T) {
	all := runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(all))
	set := func(string) (string, bool) { return "1", true }
	unset := func(string) (string, bool) { return "", false }
	require.Equal(t, all, spread(set))
	require.Equal(t, all, runtime.GOMAXPROCS(0), "somebody has said so")

	for range 2 { // several servers of one process
		require.Equal(t, all, spread(unset))
		require.Equal(t, atOnce(all), runtime.GOMAXPROCS(0))
	}
	if all > 1 {
		runtime.GOMAXPROCS(all - 1)
		require.Equal(t, all-1, spread(unset))
		require.Equal(t, all-1, runtime.GOMAXPROCS(0), "the system allows no more")
	}
}
