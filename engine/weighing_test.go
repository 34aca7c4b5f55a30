package engine_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// TestWhatIsWeighedIsHeld checks that memory that a node holds for its outputs stays
// reserved while the outputs are weighed: otherwise others could use it, and the limit
// would be exceeded twofold.
func TestWhatIsWeighedIsHeld(t *testing.T) {
	const bytes = 64 * mib
	for range 5 {
		var ended, over atomic.Bool
		local := &engine.Local{RunMemory: bytes + 32*mib}
		local.Ended = func(string, engine.Status, time.Duration) { ended.Store(true) }
		least, looking := bytes, sync.WaitGroup{}
		looking.Go(func() {
			for held := 0; !over.Load(); runtime.Gosched() {
				before := held
				if held = local.Memory.Held(); before >= bytes && !ended.Load() {
					least = min(least, held)
				}
			}
		})
		run, err := local.Run(t.Context(), (&largeNodes{counts: true}).plan(t, row(1, "mem.claims", bytes)), engine.Options{})
		over.Store(true)
		looking.Wait()
		require.NoError(t, err)
		require.Nil(t, run.Err())
		require.Equal(t, bytes, least)
		require.Zero(t, local.Memory.Held())
	}
}
