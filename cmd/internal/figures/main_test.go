package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const printed = `goos: linux
BenchmarkThroughput/W1_by_id_vs_limit-2         	       1	         0 ns/op	     90000 limit-req/s	         0.8500 ratio
BenchmarkChain/inline-2 	    1000	       250.0 ns/op	      16 B/op	       2 allocs/op
BenchmarkChain/inline-2 	    1000	       270.0 ns/op	      16 B/op	       2 allocs/op
BenchmarkChain/inline-2 	    1000	       900.0 ns/op	      16 B/op	       2 allocs/op
ok  	example	1.0s
`

func TestFigures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history.jsonl")
	say := func(text string) string {
		t.Helper()
		var out strings.Builder
		require.NoError(t, run([]string{"server", file}, strings.NewReader(text), &out))
		require.True(t, strings.HasPrefix(out.String(), text), "what was printed is passed on")
		return strings.TrimPrefix(out.String(), text)
	}
	first := say(printed)
	require.Regexp(t, `Throughput/W1_by_id_vs_limit ratio +0.85 +≥ 0.8 +ok +- +-`, first)
	require.Regexp(t, `ThroughputStart/nothing idle-MB +- +≤ 30 +missing`, first)
	require.NotContains(t, first, "worse by")
	require.NotContains(t, first, "Cluster/", "nothing is asked here of a cluster")

	second := say(strings.NewReplacer("0.8500 ratio", "0.7000 ratio", "270.0 ns/op", "280.0 ns/op", " 2 allocs", " 3 allocs").Replace(printed))
	require.Regexp(t, `Throughput/W1_by_id_vs_limit ratio +0.7 +≥ 0.8 +missed +0.85 +-17.6 %`, second)
	_, worse, ok := strings.Cut(second, "worse by more than 5 % since")
	require.True(t, ok)
	require.Regexp(t, `Chain/inline allocs/op +3 +2 +\+50.0 %`, worse)
	require.Contains(t, worse, "W1_by_id_vs_limit ratio")
	require.NotContains(t, worse, "ns/op", "the median is 3.7 %% worse")

	third := say(printed)
	_, worse, _ = strings.Cut(third, "worse by more than 5 % since")
	require.NotContains(t, worse, "Chain", "it is better again")

	require.ErrorContains(t, run([]string{"server", file}, strings.NewReader(printed+"FAIL	example	1.0s\n"), new(strings.Builder)), "nothing is added")

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "\n"))
	require.ErrorContains(t, run([]string{"server", file}, strings.NewReader("FAIL"), new(strings.Builder)), "no benchmark")
	require.ErrorContains(t, run([]string{"weather", file}, strings.NewReader(printed), new(strings.Builder)), "usage")
	require.ErrorContains(t, run(nil, strings.NewReader(printed), new(strings.Builder)), "usage")
}

func TestSlipsFailTheVerb(t *testing.T) {
	const costs = `BenchmarkThroughputCosts/W1_posted-2 1 40.0 cpu-µs 0.2500 involuntary
BenchmarkThroughputInstructions/W1_posted-2 1 100000 instructions
`
	file := filepath.Join(t.TempDir(), "history.jsonl")
	say := func(pairs ...string) error {
		return run([]string{"server", file}, strings.NewReader(strings.NewReplacer(pairs...).Replace(costs)), new(strings.Builder))
	}
	require.NoError(t, say(), "there is no entry before it")
	require.NoError(t, say("100000", "102900", "0.2500", "0.3400"))
	require.ErrorContains(t, say("100000", "106100"), "ThroughputInstructions/W1_posted instructions 1.061e+05, was 1.029e+05")
	require.ErrorContains(t, say("0.2500", "0.4500"), "ThroughputCosts/W1_posted involuntary 0.45, was 0.34")
	require.NoError(t, say("40.0", "80.0"), "others on the machine may take the processors")

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "\n"), "what has slipped is not what the next one is compared with")
}
