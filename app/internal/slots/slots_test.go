package slots

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
)

func TestAcquireRespectsLimitMemoryAndClose(t *testing.T) {
	full := errors.New("full")
	low := false
	a := Admission{LowMemory: func(context.Context) bool { return low }}
	p := NewPool(1, full)
	require.NoError(t, a.Acquire(t.Context(), &p))
	require.ErrorIs(t, a.Acquire(t.Context(), &p), full)
	a.Release(&p)
	low = true
	require.ErrorIs(t, a.Acquire(t.Context(), &p), runs.ErrCrowded)
	low = false
	require.NoError(t, a.Acquire(t.Context(), &p))
	require.Equal(t, 1, a.Taken(&p))
	a.Finish(&p)
	a.Close()
	require.ErrorIs(t, a.Acquire(t.Context(), &p), runs.ErrStopping)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.Wait(ended), context.Canceled, "the first work is not done")
	a.Done()
	require.NoError(t, a.Wait(t.Context()))
}

func TestKeyedMutexLocksByKeyAndKeepsNothing(t *testing.T) {
	var m KeyedMutex
	counts := map[string]*int{"a": new(int), "b": new(int)}
	var group sync.WaitGroup
	for key, n := range counts {
		for range 50 {
			group.Go(func() {
				defer m.Lock(key)()
				*n++
			})
		}
	}
	group.Wait()
	require.Equal(t, 50, *counts["a"])
	require.Equal(t, 50, *counts["b"])
	require.Empty(t, m.held)
}
