package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/storetest"
)

func (s server) activations(t *testing.T) func() store.ActivationStore {
	t.Helper()
	url := s.migrated(t)
	return func() store.ActivationStore { return s.open(t, url).Activations() }
}

func (s server) arming(t *testing.T) (open func() (store.SharedRuns, store.SharedActivations), depose func()) {
	t.Helper()
	url := s.migrated(t)
	return func() (store.SharedRuns, store.SharedActivations) {
			return s.openRuns(t, url, postgres.RunOptions{}), s.open(t, url).Activations()
		}, func() {
			s.depose(t, url)
		}
}

// depose makes the current holder of the trigger lease lose it, as if another process had taken and
// released it. Expiring the lease would not be enough: the holder might renew it first.
func (s server) depose(t *testing.T, url string) {
	t.Helper()
	s.exec(t, url, `update svc_arming set epoch = epoch + 1, until = now() - interval '1 second'`)
}

// testArmingFenced checks that a process that was suspended and has lost the trigger lease cannot
// overwrite the state of triggers.
func testArmingFenced(t *testing.T, s server) {
	url := s.migrated(t)
	one, other := s.open(t, url).Activations(), s.open(t, url).Activations()
	arming, err := one.Arm(t.Context())
	require.NoError(t, err)
	defer arming.Release()
	require.NoError(t, one.Activate(t.Context(), store.Activation{Definition: storetest.Definition("w", "x")}))
	memory := func(text string) store.TriggerMemory {
		return store.TriggerMemory{WorkflowID: "w", NodeID: "n", Memory: []byte(text)}
	}
	require.NoError(t, one.Remember(t.Context(), memory(`1`)))
	s.depose(t, url)
	again, err := other.Arm(t.Context())
	require.NoError(t, err)
	defer again.Release()
	select {
	case <-arming.Lost:
	case <-time.After(soon):
		require.Fail(t, "who has lost the lease is not told")
	}
	require.ErrorIs(t, one.Remember(t.Context(), memory(`2`)), store.ErrArmedElsewhere)
	require.NoError(t, other.Remember(t.Context(), memory(`3`)))
	_, err = one.Arm(t.Context())
	require.ErrorIs(t, err, store.ErrArmedElsewhere)
	arming.Release() // must not release the lease of the other
	_, err = one.Arm(t.Context())
	require.ErrorIs(t, err, store.ErrArmedElsewhere)
	kept, err := one.Memory(t.Context(), "w", "n")
	require.NoError(t, err)
	require.Equal(t, `3`, string(kept))

	s.exec(t, url, `insert into svc_activations values ('bad', '{}', '{')`)
	require.NoError(t, one.Activate(t.Context(), store.Activation{Definition: storetest.Definition("good", "x")}))
	good, bad := 0, 0
	for _, err := range one.Activations(t.Context()) {
		if err == nil {
			good++
		} else {
			bad++
		}
	}
	require.Equal(t, []int{2, 1}, []int{good, bad}, "one that somebody has spoiled hides no other")
}
