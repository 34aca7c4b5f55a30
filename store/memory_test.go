package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.WorkflowStore { return new(store.Memory) })
}

func TestCondition(t *testing.T) {
	for _, test := range []struct {
		cond   store.Condition
		stored bool
		digest string
		want   bool
	}{
		{store.Condition{}, false, "", true},
		{store.Condition{}, true, "d", true},
		{store.Condition{Absent: true}, false, "", true},
		{store.Condition{Absent: true}, true, "", false},
		{store.Condition{Match: []string{"d"}}, true, "d", true},
		{store.Condition{Match: []string{"c", "d"}}, true, "d", true},
		{store.Condition{Match: []string{"c"}}, true, "d", false},
		{store.Condition{Match: []string{"d"}}, false, "", false},
		{store.Condition{Match: []string{""}}, true, "", false},
		{store.Condition{Match: []string{store.Any}}, true, "", true},
		{store.Condition{Match: []string{store.Any}}, false, "", false},
		{store.Condition{Match: []string{store.Any}, Absent: true}, true, "d", false},
		{store.Condition{Match: []string{store.Any}, Absent: true}, false, "", false},
	} {
		require.Equal(t, test.want, test.cond.Holds(test.stored, test.digest), "%+v", test)
	}
}
