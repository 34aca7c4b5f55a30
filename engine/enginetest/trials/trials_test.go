package trials_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

func TestTrials(t *testing.T) {
	t.Setenv(trials.Kills, "")
	t.Setenv(trials.Seed, "")
	require.Equal(t, 20, trials.Count(t, trials.Kills, 20))
	first := trials.Random(t).Uint64()
	require.Equal(t, first, trials.Random(t).Uint64(), "the same each time")

	t.Setenv(trials.Kills, "300")
	require.Equal(t, 300, trials.Count(t, trials.Kills, 20))
	require.NotEqual(t, first, trials.Random(t).Uint64())
	require.NotEqual(t, trials.Random(t).Uint64(), trials.Random(t).Uint64(), "another each time")

	t.Setenv(trials.Seed, "7")
	again := trials.Random(t).Uint64()
	require.Equal(t, again, trials.Random(t).Uint64(), "as it was seen")
	require.NotEqual(t, first, again)
}
