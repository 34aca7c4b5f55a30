// Package trials says how often a test tries what goes wrong by chance, and by which chance:
// the same few each time, unless a variable asks for more.
package trials

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kills is the variable that says how often processes are killed, left and cancelled; `make
// kills` sets it. Random is by another seed each time where it is set.
const Kills = "SVC_KILLS"

// Seed is the variable with the seed of an earlier test, to see the same again.
const Seed = "SVC_SEED"

// Share is the variable that says which share is tried of all that is asked for, such as 1 or
// 0.1; `make soak-cluster` sets it. Random is by another seed each time where it is set.
const Share = "SVC_SHARE"

// Of returns how often a test tries of which more is asked than there is time for each time:
// as usual, or that share of all.
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

// Count returns how often a test tries: as often as a variable says, or else as usual.
func Count(t testing.TB, variable string, usual int) int {
	t.Helper()
	if os.Getenv(variable) == "" {
		return usual
	}
	return int(number(t, variable))
}

// Random returns the chance that a test tries by, and logs its seed.
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
