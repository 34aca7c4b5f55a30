package trials_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

func TestSampleRepeatsAndIsAPart(t *testing.T) {
	cases := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	t.Setenv(trials.SampleVariable, "7")
	first := trials.Today(t).Of("topic", cases, 4)
	require.Len(t, first, 3)
	require.Subset(t, cases, first)
	require.Equal(t, first, trials.Today(t).Of("topic", cases, 4), "one seed, one sample")

	t.Setenv(trials.SampleVariable, "all")
	require.ElementsMatch(t, cases, trials.Today(t).Of("topic", cases, 4))

	had := 0
	for i := range 300 {
		require.True(t, trials.Today(t).Has(strconv.Itoa(i), 3), "all")
		t.Setenv(trials.SampleVariable, "7")
		if trials.Today(t).Has(strconv.Itoa(i), 3) {
			had++
		}
		t.Setenv(trials.SampleVariable, "all")
	}
	require.InDelta(t, 100, had, 40)

	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"} {
		t.Setenv(trials.SampleVariable, seed)
		for _, c := range trials.Today(t).Of("topic", cases, 4) {
			seen[c] = true
		}
	}
	require.Len(t, seen, len(cases), "in time all are tried")
}
