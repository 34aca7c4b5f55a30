package trials_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

func TestTrials(t *testing.T) {
	t.Setenv(trials.Kills, "")
	t.Setenv(trials.Share, "")
	t.Setenv(trials.Seed, "")
	require.Equal(t, 5, trials.Of(t, 5, 100))
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

	t.Setenv(trials.Kills, "")
	t.Setenv(trials.Seed, "")
	t.Setenv(trials.Share, "1")
	require.Equal(t, 100, trials.Of(t, 5, 100))
	require.NotEqual(t, trials.Random(t).Uint64(), trials.Random(t).Uint64())
	t.Setenv(trials.Share, "0.25")
	require.Equal(t, 5, trials.Of(t, 7, 20))
	require.Equal(t, 1, trials.Of(t, 7, 1), "at least once")
}
