package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/runlog"
	"github.com/svcflow/svc/store/storetest"
)

// BenchmarkThroughputStart measures how soon a server answers, and what it takes of memory: with
// nothing in its directory, with 100,000 recorded runs, with 20,000 stored workflows, and with
// journals of 200 and 10,000 runs that have not ended, SVC_JOURNALS GB of them (0.1), whose
// frames stand between each other's.
func BenchmarkThroughputStart(b *testing.B) {
	program := buildFor(b, ".")
	b.Run("nothing", func(b *testing.B) { b.ReportMetric(0, "ns/op"); startNothing(b, program) })
	b.Run("runs", func(b *testing.B) { startRuns(b, program) })
	b.Run("workflows", func(b *testing.B) { startWorkflows(b, program) })
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprintf("journals-%d", n), func(b *testing.B) { startJournals(b, program, n) })
	}
}

func startNothing(b *testing.B, program string) {
	b.Helper()
	for b.Loop() {
		var ready, idle []float64
		for range 7 {
			s := startServer(b, program)
			<-time.After(time.Second)
			ready, idle = append(ready, milliseconds(s.ready)), append(idle, s.memory(b, "VmRSS:"))
			s.stop()
		}
		b.ReportMetric(0, "ns/op") // says nothing here
		b.ReportMetric(median(ready), "ready-ms")
		b.ReportMetric(median(idle), "idle-MB")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// startRuns reports how soon a page of recorded runs is ready, the last run, and a run that does
// not exist.
func startRuns(b *testing.B, program string) {
	b.Helper()
	data := b.TempDir()
	s, err := runlog.Open(filepath.Join(data, runsDir), runlog.Options{Relaxed: true})
	require.NoError(b, err)
	const runs, once = 100_000, 250
	kept := make([]run.Kept, once)
	for n := range runs / once {
		for i := range kept {
			start := storetest.RunStart(once*n + i)
			result := &engine.Result{
				RunID: start.RunID, WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: start.StartedAt, FinishedAt: start.StartedAt.Add(time.Millisecond),
				Outputs: map[string]any{"greeting": "hello"},
			}
			kept[i] = run.Kept{Start: start, Outcome: keptOutcome{result}}
		}
		require.Empty(b, s.Keep(b.Context(), kept))
	}
	require.NoError(b, s.Close())
	startListing(b, program, data, "/executions?limit=50", "/executions?workflowId=none")
}

// keptOutcome is what came of a run of one node.
type keptOutcome struct{ result *engine.Result }

func (o keptOutcome) ID() string             { return o.result.RunID }
func (o keptOutcome) Status() engine.Status  { return o.result.Status }
func (o keptOutcome) FinishedAt() time.Time  { return o.result.FinishedAt }
func (o keptOutcome) Ended() int             { return 0 }
func (o keptOutcome) Err() *engine.Failure   { return nil }
func (o keptOutcome) Result() *engine.Result { return o.result }
func (o keptOutcome) AppendBrief(dst []byte, most int) ([]byte, bool) {
	return o.result.AppendBrief(dst, most)
}

func startWorkflows(b *testing.B, program string) {
	b.Helper()
	data := b.TempDir()
	s := stored(data)
	for n := range 20_000 {
		_, err := s.Save(b.Context(), storetest.Definition(fmt.Sprint("w", n), "one"))
		require.NoError(b, err)
	}
	startListing(b, program, data, "/workflows?limit=50")
}

// startListing reports how long a server takes to be there, and for the slowest page of some,
// and what it has of memory afterwards.
func startListing(b *testing.B, program, data string, pages ...string) {
	b.Helper()
	for b.Loop() {
		var ready, first, took, idle []float64
		for range 5 {
			s := serve(b, program, data, "--keep-runs", "0", "--keep-days", "0", "--keep-bytes", "0")
			ready = append(ready, milliseconds(s.ready))
			for try := range 5 {
				for _, page := range pages {
					began := time.Now()
					s.ask(b, http.MethodGet, page, nil)
					if now := milliseconds(time.Since(began)); try == 0 {
						first = append(first, now)
					} else {
						took = append(took, now)
					}
				}
			}
			<-time.After(time.Second)
			idle = append(idle, s.memory(b, "VmRSS:"))
			s.stop()
		}
		b.ReportMetric(0, "ns/op") // says nothing here
		b.ReportMetric(median(ready), "ready-ms")
		b.ReportMetric(slices.Max(first), "first-page-ms")
		b.ReportMetric(slices.Max(took), "page-ms")
		b.ReportMetric(median(idle), "MB")
	}
}

// startJournals starts servers where runs have not ended, and once they have, each with what
// tells quickly where everything is and without.
func startJournals(b *testing.B, program string, runs int) {
	b.Helper()
	gigabytes := 0.1
	if text := os.Getenv("SVC_JOURNALS"); text != "" {
		var err error
		gigabytes, err = strconv.ParseFloat(text, 64)
		require.NoError(b, err)
	}
	for b.Loop() {
		data, again := b.TempDir(), b.TempDir()
		leaveJournals(b, data, runs, int64(gigabytes*(1<<30)))
		cloneRuns(b, data, again)
		for _, c := range []struct {
			name, data string
			forget     bool
		}{{"open", data, false}, {"ended", data, false}, {"open-unknown", again, true}, {"ended-unknown", again, true}} {
			if c.forget {
				forget(b, c.data)
			}
			s := serve(b, program, c.data, "--keep-runs", "0", "--keep-days", "0", "--keep-bytes", "0")
			b.ReportMetric(milliseconds(s.ready), c.name+"-ready-ms")
			require.Eventually(b, func() bool {
				var page struct{ Items []json.RawMessage }
				require.NoError(b, json.Unmarshal(s.ask(b, http.MethodGet, "/executions?status=running&limit=1", nil), &page))
				return len(page.Items) == 0
			}, time.Minute, 5*time.Millisecond)
			b.ReportMetric(milliseconds(time.Since(s.began)), c.name+"-told-ms")
			b.ReportMetric(s.memory(b, "VmHWM:"), c.name+"-MB")
			s.stop()
		}
		b.ReportMetric(0, "ns/op") // says nothing here
		require.NoError(b, os.RemoveAll(data))
		require.NoError(b, os.RemoveAll(again))
	}
}

// leaveJournals leaves runs that have not ended, which take turns with their frames.
func leaveJournals(b *testing.B, data string, runs int, bytes int64) {
	b.Helper()
	s, err := runlog.Open(filepath.Join(data, runsDir), runlog.Options{Relaxed: true, RunBytes: -1})
	require.NoError(b, err)
	journals := make([]store.Journal, runs)
	for n := range journals {
		journals[n], err = s.Create(b.Context(), storetest.RunStart(n))
		require.NoError(b, err)
	}
	const size = 1600
	message := strings.Repeat("x", size)
	for seq := 1; int64(seq)*int64(runs)*size < bytes; seq++ {
		f := storetest.Frame(seq, message)
		for _, j := range journals {
			require.NoError(b, j.Append(f))
		}
	}
	<-time.After(time.Second) // for what tells where things are
	require.NoError(b, s.Close())
}

// cloneRuns makes a copy of runs, for which it takes no room.
func cloneRuns(b *testing.B, from, to string) {
	b.Helper()
	require.NoError(b, os.Mkdir(filepath.Join(to, runsDir), 0o700))
	names, err := filepath.Glob(filepath.Join(from, runsDir, "*"))
	require.NoError(b, err)
	for i, name := range names {
		copied := filepath.Join(to, runsDir, filepath.Base(name))
		if i < len(names)-1 {
			require.NoError(b, os.Link(name, copied))
			continue
		}
		text, err := os.ReadFile(name) // which is going to be written to
		require.NoError(b, err)
		require.NoError(b, os.WriteFile(copied, text, 0o600))
	}
}

// forget removes what tells quickly where runs are.
func forget(b *testing.B, data string) {
	b.Helper()
	for _, pattern := range []string{"*.index", ".unfinished"} {
		names, err := filepath.Glob(filepath.Join(data, runsDir, pattern))
		require.NoError(b, err)
		for _, name := range names {
			require.NoError(b, os.Remove(name))
		}
	}
}
