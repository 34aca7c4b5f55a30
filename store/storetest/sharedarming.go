package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
)

// Arming tests how processes that share runs and activations take turns in firing triggers.
// newStore returns a function that opens both, like another process, and one that makes the current
// leader lose its lease.
func Arming(t *testing.T, newStore func(t *testing.T) (open func() (store.SharedRuns, store.SharedActivations), depose func())) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, func() (store.SharedRuns, store.SharedActivations), func()){
		"fenced": testFencedFirings, "changes": testActivationChanges, "changes at once": testChangesAtOnce,
	} {
		t.Run(name, func(t *testing.T) {
			open, depose := newStore(t)
			test(t, open, depose)
		})
	}
}

// testFencedFirings checks that a leader that has lost its lease is notified, and can neither
// record firings nor start runs.
func testFencedFirings(t *testing.T, open func() (store.SharedRuns, store.SharedActivations), depose func()) {
	runs, one := open()
	_, other := open()
	first, err := one.Arm(t.Context())
	require.NoError(t, err)
	defer first.Release()
	require.NotZero(t, first.Epoch)
	mine := store.SharedLimits{Armed: first.Epoch}
	require.NoError(t, runs.Begin(t.Context(), waits(0), mine))
	require.NoError(t, runs.Begin(t.Context(), waits(1), mine))
	require.NoError(t, runs.Admit(t.Context(), RunID(0), mine))
	depose()
	second, err := other.Arm(t.Context())
	require.NoError(t, err)
	defer second.Release()
	require.Greater(t, second.Epoch, first.Epoch)
	require.ErrorIs(t, runs.Begin(t.Context(), waits(2), mine), store.ErrArmedElsewhere)
	require.ErrorIs(t, runs.Admit(t.Context(), RunID(1), mine), store.ErrArmedElsewhere)
	require.NoError(t, runs.Begin(t.Context(), waits(2), store.SharedLimits{}), "as a hook does, anywhere")
	require.NoError(t, runs.Begin(t.Context(), waits(3), store.SharedLimits{Armed: second.Epoch}))
	require.NoError(t, runs.Admit(t.Context(), RunID(1), store.SharedLimits{Armed: second.Epoch}))
	select {
	case <-first.Lost:
	case <-time.After(sharedPatience):
		require.Fail(t, "nobody is told")
	}
	first.Release()
	select {
	case <-second.Lost:
		require.Fail(t, "what is over takes nothing from who has come since")
	default:
	}
}

func testActivationChanges(t *testing.T, open func() (store.SharedRuns, store.SharedActivations), _ func()) {
	_, one := open()
	_, other := open()
	seen := int64(-1)
	look := func(changed bool, active ...string) map[string]int64 {
		t.Helper()
		of, last, err := other.Actives(t.Context())
		require.NoError(t, err)
		now, err := other.Changed(t.Context())
		require.NoError(t, err)
		require.Equal(t, now, last)
		require.Equal(t, changed, last != seen)
		require.Len(t, of, len(active))
		for _, id := range active {
			require.Contains(t, of, id)
		}
		seen = last
		return of
	}
	look(true)
	require.NoError(t, one.Activate(t.Context(), activation("a", 1)))
	before := look(true, "a")
	require.NoError(t, one.Activate(t.Context(), activation("b", 1)))
	require.Equal(t, before["a"], look(true, "a", "b")["a"])
	require.ErrorIs(t, one.ActivateAt(t.Context(), activation("c", 1), seen-1), store.ErrActivationsChanged)
	look(false, "a", "b")
	require.NoError(t, one.ActivateAt(t.Context(), activation("a", 2), seen))
	require.NotEqual(t, before["a"], look(true, "a", "b")["a"])
	require.NoError(t, one.Remember(t.Context(), store.TriggerMemory{WorkflowID: "a", NodeID: "n", Memory: []byte(`{}`)}))
	look(false, "a", "b")
	require.NoError(t, one.Deactivate(t.Context(), "a"))
	look(true, "b")
	require.ErrorIs(t, one.Deactivate(t.Context(), "a"), store.ErrNotActive)
	look(false, "b")
	require.NoError(t, one.Remember(t.Context(), store.TriggerMemory{WorkflowID: "a", NodeID: "n", Memory: []byte(`{}`)}))
	memory, err := other.Memory(t.Context(), "a", "n")
	require.NoError(t, err)
	require.Nil(t, memory, "what is not active any more is not remembered")
}

func testChangesAtOnce(t *testing.T, open func() (store.SharedRuns, store.SharedActivations), _ func()) {
	_, one := open()
	last, err := one.Changed(t.Context())
	require.NoError(t, err)
	won := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for n := range cap(won) {
		_, s := open()
		wg.Go(func() {
			if err := s.ActivateAt(t.Context(), activation("a", n), last); err == nil {
				won <- struct{}{}
			} else {
				assert.ErrorIs(t, err, store.ErrActivationsChanged)
			}
		})
	}
	wg.Wait()
	require.Len(t, won, 1)
}
