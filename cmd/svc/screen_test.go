package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

func TestScreenShowsARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := newScreen(&out, func() int { return 60 })
		next := func() string { // what the next frame draws
			<-time.After(frameTime) // in the bubble's time
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			text := out.String()
			out.Reset()
			return text
		}
		s.observe(engine.Event{Name: engine.EventStarted, NodeID: "fetch", Time: time.Now()})
		require.Regexp(t, `⠋ fetch  100ms`, next())

		s.observe(engine.Event{
			Name: engine.EventProgress, NodeID: "fetch", RetryIn: 2 * time.Second,
			Error: &engine.Failure{Code: "unavailable", Message: "no\x1b[2J answer\n"},
		})
		frame := next()
		require.Contains(t, frame, "\x1b[1A\r\x1b[J", "the region is drawn over")
		require.Contains(t, frame, "retry 1  again in 2s: no [2J answer", "control characters are harmless")

		s.observe(engine.Event{Name: engine.EventStarted, NodeID: "loop", Time: time.Now()})
		s.observe(engine.Event{Name: engine.EventNode, NodeID: "loop/0/x", Status: engine.StatusFailed})
		s.observe(engine.Event{Name: engine.EventProgress, NodeID: "loop", Step: 1, Total: 4})
		s.observe(engine.Event{Name: engine.EventNode, NodeID: "fetch", Status: engine.StatusSucceeded, Attempts: 2, Duration: 300 * time.Millisecond})
		frame = next()
		require.Contains(t, frame, green+"✓"+plain+" fetch  300ms  2 attempts\n")
		require.Contains(t, frame, "loop  100ms  1 inside, 1 failed  1/4")

		s.close()
		require.True(t, strings.HasSuffix(out.String(), "\x1b[1A\r\x1b[J"), "nothing but the ended nodes stays: %q", out.String())
	})
}

func TestScreenNeverDrawsMoreThanFits(t *testing.T) {
	s := &screen{}
	for i := range 3 * maxWorking {
		s.observe(engine.Event{Name: engine.EventStarted, NodeID: strings.Repeat("節点", 100) + strconv.Itoa(i)})
	}
	lines := s.region(time.Now())
	require.Len(t, lines, maxWorking+1)
	require.Equal(t, "  and 16 more", lines[maxWorking])
	require.LessOrEqual(t, uniseg.StringWidth(cut(lines[0], 40)), 40)
	require.Equal(t, "short", cut("short", 40))
}

func TestTranscript(t *testing.T) {
	var out bytes.Buffer
	l := &transcript{out: &out}
	for _, e := range []engine.Event{
		{Name: engine.EventStarted},
		{Name: engine.EventStarted, NodeID: "each"},
		{Name: engine.EventNode, NodeID: "each/0/a", Status: engine.StatusSucceeded},
		{Name: engine.EventNode, NodeID: "each/1/a", Status: engine.StatusSucceeded},
		{Name: engine.EventProgress, NodeID: "each", Step: 1, Total: 2},
		{Name: engine.EventProgress, NodeID: "get", RetryIn: 1500 * time.Millisecond, Error: &engine.Failure{Code: "unavailable", Message: "no answer"}},
		{Name: engine.EventNode, NodeID: "each", Status: engine.StatusSucceeded, Attempts: 1, Duration: 1234 * time.Millisecond},
		{Name: engine.EventNode, NodeID: "get", Status: engine.StatusFailed, Attempts: 3, Duration: 75 * time.Second, Error: &engine.Failure{Code: "timeout", Message: "too slow"}},
		{Name: engine.EventNode, NodeID: "late", Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "get", Reason: "failed"}},
		{Name: engine.EventNode, NodeID: "other", Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "if", Reason: "not_taken"}},
		{Name: engine.EventNode, NodeID: "off", Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "off", Reason: "disabled"}},
		{Name: engine.EventNode, NodeID: "rest", Status: engine.StatusCancelled},
		{Name: engine.EventFailed},
	} {
		l.observe(e)
	}
	require.Equal(t, `↻ get  again in 1.5s: no answer (unavailable)
✓ each  1.23s  2 inside
✗ get  1m15s  3 attempts  too slow (timeout)
- late  skipped: "get" failed
- other  skipped: nothing came from "if"
- off  skipped: "off" is disabled
■ rest  cancelled
`, out.String())
}

func TestWhatMayMoveATerminal(t *testing.T) {
	for name, variables := range map[string]map[string]string{
		"NO_COLOR": {"NO_COLOR": "", "TERM": "xterm"},
		"dumb":     {"TERM": "dumb"},
	} {
		h := &host{env: func(name string) (string, bool) { v, ok := variables[name]; return v, ok }}
		require.False(t, h.animates(), name)
	}
	require.True(t, (&host{env: func(string) (string, bool) { return "", false }}).animates())
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		" a\r\nb ":         "a  b",
		"\x1b]0;title\a":   "]0;title",
		"\u202eevil\u2066": "evil",
		"naïve 節点 👩‍💻":     "naïve 節点 👩‍💻",
	} {
		require.Equal(t, want, strings.TrimSpace(oneLine(in)))
	}
	require.False(t, regexp.MustCompile(`[\x00-\x1f\x7f-\x9f]`).MatchString(oneLine("\x9b31m\x7f\t")))
}
