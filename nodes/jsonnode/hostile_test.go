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

// maxPeak is how much the process may grow for one filter, in KiB: twice the memory limit
// of a filter, since the garbage collector lets the heap double. The race detector
// multiplies this.
const maxPeak = raced * 2 * maxMemory >> 10

// hostileEnv runs all filters and sets the time limit of each (make hostile). Without it a
// sample runs, with a limit that is enough to detect one step that takes too much.
const hostileEnv = "SVC_TEST_HOSTILE"

// sample selects every sample-th filter for runs without hostileEnv.
const sample = 8

// TestHostileFilters runs filters that use excessive resources, in a child process, which
// must survive with little memory.
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
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileFilters$", "-test.v") // runs this test again
	cmd.Env = append(os.Environ(), hostileEnv+"_CHILD="+limit, hostileEnv+"_EVERY="+strconv.Itoa(every), "GOMEMLIMIT=off")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err, "the last line names the filter before")
}

// outcome runs one filter and reports its result and the growth of memory.
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

// status returns a value from /proc/self/status, in KiB.
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

// TestValidationOfManyFaults validates a list whose items fail before the library evaluates
// a format, which counts visits, and in many alternatives.
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
