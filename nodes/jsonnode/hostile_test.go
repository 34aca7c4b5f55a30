package jsonnode

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// maxPeak bounds the memory by which a process may grow for one filter, in KiB: twice
// what the filter may hold, since the collector lets garbage grow to as much again. The
// race detector keeps several words for each one.
const maxPeak = raced * 2 * maxMemory >> 10

// hostileEnv asks for all filters and says how long each may run (make hostile).
// Without it some of them run for as long as a step that takes too much needs.
const hostileEnv = "SVC_TEST_HOSTILE"

// sample is which part of the filters runs without hostileEnv.
const sample = 8

// TestHostileFilters runs filters that want more than there is, in a process of its
// own: that survives, and never takes much memory.
func TestHostileFilters(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how far memory grew is read from /proc")
	}
	if limit, err := time.ParseDuration(os.Getenv(hostileEnv + "_CHILD")); err == nil {
		every, _ := strconv.Atoi(os.Getenv(hostileEnv + "_EVERY"))
		for i, filter := range hostileFilters() {
			if i%every == 0 {
				t.Log(outcome(t, filter, limit))
			}
		}
		return
	}
	limit, every := os.Getenv(hostileEnv), 1
	if limit == "" {
		limit, every = "50ms", sample
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileFilters$", "-test.v") // it is this test
	cmd.Env = append(os.Environ(), hostileEnv+"_CHILD="+limit, hostileEnv+"_EVERY="+strconv.Itoa(every), "GOMEMLIMIT=off")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err, "the last line names the filter before")
}

// outcome runs one filter, and says what came of it and how far memory grew.
func outcome(t *testing.T, filter string, limit time.Duration) string {
	t.Helper()
	p, err := compile(filter)
	require.NoError(t, err, filter)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	debug.FreeOSMemory()
	require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // resets VmHWM
	before, began := status(t, "VmRSS"), time.Now()
	results, err := p.run(ctx, nil, nil)
	took, grown := time.Since(began).Milliseconds(), status(t, "VmHWM")-before
	require.Less(t, grown, maxPeak, filter)
	ended := fmt.Sprintf("%d results", len(results))
	if err != nil {
		ended = node.CodeOf(err)
		require.LessOrEqual(t, len(err.Error()), 2*maxMessage, filter)
	}
	if ctx.Err() != nil {
		ended = "timeout"
	}
	return fmt.Sprintf("%5d MiB %5d ms %-14s %s", grown>>10, took, ended, filter[:min(len(filter), 100)])
}

// status returns a figure of this process, in KiB.
func status(t *testing.T, name string) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), name+":")
	require.True(t, ok)
	_, err = fmt.Sscan(rest, &n)
	require.NoError(t, err)
	return n
}

// TestValidationOfManyFaults has every item of a list fail before the library gets
// to where a visit could be counted, and in a long list of alternatives.
func TestValidationOfManyFaults(t *testing.T) {
	numbers := make([]any, 2000)
	for i := range numbers {
		numbers[i] = i
	}
	for _, items := range []map[string]any{{"type": "string"}, {"const": "x"}, {"enum": []any{"x"}}, {"enum": numbers}} {
		s, err := compileSchema(map[string]any{"items": items})
		require.NoError(t, err)
		s.limit = 10_000
		_, err = s.check(t.Context(), plain(slices.Repeat([]any{-1}, 20_000)))
		require.ErrorIs(t, err, errVisits, "%v", items)
		require.LessOrEqual(t, s.visits, 12_000, "%v", items)
		found, err := s.check(t.Context(), plain([]any{-1}))
		require.NoError(t, err)
		require.NotNil(t, found, "%v", items)
	}
}
