package trials

import (
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// SampleVariable is the environment variable with the seed of an earlier sample, to repeat
// it, or with "all", as set by `make nightly`.
const SampleVariable = "SVC_SAMPLE"

// Sample selects some of many cases, so that a test takes seconds instead of minutes.
type Sample struct {
	seed uint64
	all  bool
}

// Today returns a sample that differs each day, or the one that [SampleVariable] selects,
// and logs how to repeat it. Call it outside of testing/synctest bubbles, where the day
// never changes.
func Today(t testing.TB) Sample {
	t.Helper()
	const day = 24 * 60 * 60
	s := Sample{seed: uint64(time.Now().Unix()) / day, all: os.Getenv(SampleVariable) == "all"}
	if asked := os.Getenv(SampleVariable); asked != "" && !s.all {
		var err error
		s.seed, err = strconv.ParseUint(asked, 10, 64)
		require.NoError(t, err, "%s is a seed, or all", SampleVariable)
	}
	t.Logf("to repeat this sample: %s=%d", SampleVariable, s.seed)
	return s
}

// Has reports whether the case called name is in a sample of about one in part cases.
func (s Sample) Has(name string, part int) bool {
	r := rand.New(rand.NewPCG(s.seed, uint64(crc32.ChecksumIEEE([]byte(name))))) //nolint:gosec // must be repeatable
	return s.all || r.IntN(part) == 0
}

// Of returns one in part of the cases, at least one, or all of them, in random order.
// Samples of one day differ by topic.
func (s Sample) Of(topic string, cases []string, part int) []string {
	chosen := slices.Sorted(slices.Values(cases))
	r := rand.New(rand.NewPCG(s.seed, uint64(crc32.ChecksumIEEE([]byte(topic))))) //nolint:gosec // must be repeatable
	r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	if s.all {
		return chosen
	}
	return chosen[:(len(chosen)+part-1)/part]
}
