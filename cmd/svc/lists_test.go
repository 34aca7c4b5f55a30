package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

func TestTheListOfTriggersFitsATerminal(t *testing.T) {
	at := time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	text := triggersText([]run.Trigger{{
		WorkflowID: "send-the-report-of-the-week-to-all-customers", NodeID: "when-a-customer-writes", Type: "trigger.webhook",
		Next: at, Upcoming: []time.Time{at, at.Add(time.Hour), at.Add(2 * time.Hour)}, LastFiredAt: at, LastRunID: "0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f",
		LastStatus: engine.StatusFailed, URL: "https://flows.example/hooks/customers/write", Missed: 3,
		Problem: "there is no account " + strings.Repeat("webhook:größe ", 12), LastError: strings.Repeat("the queue is full ", 10),
	}})
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), 80, line)
	}
	zone := at.Local().Format("MST")
	require.Equal(t, 4, strings.Count(text, " "+zone), "each time names its zone")
	for _, want := range []string{"problem  there is no account", "missed 3", "0199a0c4-7d1e-7000-8000-5a3b1c2d4e5f", "https://flows.example/hooks/customers/write", "error    the queue is full", "failed"} {
		require.Contains(t, text, want)
	}
}

func TestARunIsShownWithATableOfItsNodes(t *testing.T) {
	text := recordText(&run.Record{RunID: "r", WorkflowID: "w", Status: engine.StatusFailed, Result: &engine.Result{
		Order: []string{"fetch", "store"},
		Nodes: map[string]engine.NodeResult{
			"store": {Status: engine.StatusFailed, Attempts: 3, Duration: 2 * time.Second, Error: &engine.Failure{Code: "unavailable", Message: "the database is away"}},
			"fetch": {Status: engine.StatusSucceeded, Attempts: 1, Duration: 30 * time.Millisecond},
			"mail":  {Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "store", Reason: "failed"}},
		},
	}})
	require.Regexp(t, `(?m)^NODE +STATE +TOOK +TRIES +WHY\nfetch +succeeded +30ms +1 *\nstore +failed +2s +3 +the database is away \(unavailable\)\nmail +skipped +- +- +store: failed$`, text)
}
