// Package trials controls how often randomized tests run and with which random seed: few
// times with a fixed seed, unless environment variables ask for more.
package trials

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kills is the environment variable with the number of times that processes are killed,
// left and cancelled; `make kills` sets it. If it is set, the seed of Random differs each
// time.
const Kills = "SVC_KILLS"

// Seed is the environment variable with the seed of an earlier test, to repeat it.
const Seed = "SVC_SEED"

// Share is the environment variable with the share of all required trials to run, such as 1
// or 0.1; `make soak-cluster` sets it. If it is set, the seed of Random differs each time.
const Share = "SVC_SHARE"

// Of returns the number of trials of a test that requires more than there is usually time
// for: usual, or the [Share] of all.
func Of(t testing.TB, usual, all int) (times int) {
	t.Helper()
	times = usual
	if text := os.Getenv(Share); text != "" {
		share, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err, Share)
		times = max(int(math.Round(share*float64(all))), 1)
	}
	t.Logf("%d, of which %d are asked for", times, all)
	return times
}

// Count returns the number of trials: the value of a variable, or else usual.
func Count(t testing.TB, variable string, usual int) int {
	t.Helper()
	if os.Getenv(variable) == "" {
		return usual
	}
	return int(number(t, variable))
}

// Random returns a random generator for a test, and logs its seed.
func Random(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	switch {
	case os.Getenv(Seed) != "":
		seed = number(t, Seed)
	case os.Getenv(Kills) != "", os.Getenv(Share) != "":
		seed = rand.Uint64()
	}
	t.Logf("%s=%d", Seed, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func number(t testing.TB, variable string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(os.Getenv(variable), 10, 64)
	require.NoError(t, err, variable)
	return n
}
