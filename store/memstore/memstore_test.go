package memstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.WorkflowStore { return new(memstore.Workflows) })
}

func TestMemoryShared(t *testing.T) {
	storetest.Shared(t, func(_ *testing.T, runBytes int64) storetest.SharedStore {
		s := &memstore.Shared{RunBytes: runBytes}
		return storetest.SharedStore{Open: func() store.SharedRuns { return s }}
	})
}

func TestMemoryArming(t *testing.T) {
	storetest.Arming(t, func(*testing.T) (func() (store.SharedRuns, store.SharedActivations), func()) {
		kept := &memstore.ActivationStore{}
		runs := &memstore.Shared{Activations: kept}
		return func() (store.SharedRuns, store.SharedActivations) { return runs, kept }, kept.Depose
	})
}

func TestCondition(t *testing.T) {
	for _, test := range []struct {
		cond   workflow.Condition
		stored bool
		digest string
		want   bool
	}{
		{workflow.Condition{}, false, "", true},
		{workflow.Condition{}, true, "d", true},
		{workflow.Condition{Absent: true}, false, "", true},
		{workflow.Condition{Absent: true}, true, "", false},
		{workflow.Condition{Match: []string{"d"}}, true, "d", true},
		{workflow.Condition{Match: []string{"c", "d"}}, true, "d", true},
		{workflow.Condition{Match: []string{"c"}}, true, "d", false},
		{workflow.Condition{Match: []string{"d"}}, false, "", false},
		{workflow.Condition{Match: []string{""}}, true, "", false},
		{workflow.Condition{Match: []string{workflow.Any}}, true, "", true},
		{workflow.Condition{Match: []string{workflow.Any}}, false, "", false},
		{workflow.Condition{Match: []string{workflow.Any}, Absent: true}, true, "d", false},
		{workflow.Condition{Match: []string{workflow.Any}, Absent: true}, false, "", false},
	} {
		require.Equal(t, test.want, test.cond.Holds(test.stored, test.digest), "%+v", test)
	}
}

func TestMemoryRuns(t *testing.T) {
	storetest.Runs(t, func(_ *testing.T, o storetest.RunOptions) storetest.OpenRuns {
		s := &memstore.Runs{Retention: o.Keep, RunBytes: o.RunBytes}
		return func() store.RunStore { return s }
	})
}

func TestMemoryActivations(t *testing.T) {
	storetest.Activations(t, func(*testing.T) func() store.ActivationStore {
		s := &memstore.ActivationStore{}
		return func() store.ActivationStore { return s }
	})
}
