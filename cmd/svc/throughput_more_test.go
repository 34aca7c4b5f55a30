package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkThroughputRecording measures what the records of runs cost that are waited for:
// W1 by its id on a server that records such runs against one that does not, in turn, how
// many times as much of the processors each answer takes, whatever else the machine does, and
// which part of the runs is not recorded, over 64 connections.
func BenchmarkThroughputRecording(b *testing.B) {
	program := buildFor(b, ".")
	with, without := startServer(b, program), startServer(b, program, "--record", "none")
	w1 := chainDocument("W1", 1)
	with.save(b, w1)
	without.save(b, w1)
	b.Run("W1_recorded_vs_not", func(b *testing.B) {
		for b.Loop() {
			const pairs, length = 5, 2 * time.Second
			inputs := inputsOf("hello")
			plain, recorded := asked{without, without.post("/workflows/W1/run", inputs)}, asked{with, with.post("/workflows/W1/run", inputs)}
			runs := 0.0
			var ratios, spent []float64
			for range pairs {
				n, cost := plain.costing(b, 64, length)
				w, more := recorded.costing(b, 64, length)
				ratios, spent, runs = append(ratios, w.rate/n.rate), append(spent, more/cost), runs+w.rate*length.Seconds()
			}
			b.ReportMetric(0, "ns/op") // says nothing here
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(median(spent), "cpu-times")
			b.ReportMetric(with.metric(b, "svc_runs_dropped_total")/runs, "dropped")
		}
	})
}

// costing is a load, and how much of the processors each answer took.
func (s asked) costing(b *testing.B, connections int, length time.Duration) (loaded, float64) {
	b.Helper()
	before, began := s.spent(b), time.Now()
	l := load(b, connections, s.addr, s.request, length)
	return l, (s.spent(b) - before) / (l.rate * time.Since(began).Seconds())
}

// spent returns how much of the processors the process has taken, in hundredths of a second.
func (p *process) spent(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		b.Skip("only Linux has the CPU time of a process")
	}
	sum := 0.0
	for _, field := range strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))[11:13] { // behind the name of the program
		n, err := strconv.ParseFloat(field, 64)
		require.NoError(b, err)
		sum += n
	}
	return sum
}

// metric returns a figure of the server.
func (p *process) metric(b *testing.B, name string) float64 {
	b.Helper()
	request, err := http.NewRequest(http.MethodGet, "http://"+p.addr+"/metrics", nil)
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer "+p.key)
	answer, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(b, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(b, err)
	return figureIn(b, text, name)
}

// memory returns how many MB of memory the process has, or had at most; nothing where /proc
// does not tell.
func (p *process) memory(b *testing.B, which string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		b.Skip("only Linux has the memory of a process")
	}
	const kb = 1024.0
	return figureIn(b, text, which) / kb
}

// figureIn returns the number behind a name at the beginning of a line.
func figureIn(b *testing.B, text []byte, name string) float64 {
	b.Helper()
	for line := range bytes.Lines(text) {
		if fields := strings.Fields(string(line)); len(fields) > 1 && fields[0] == name {
			value, err := strconv.ParseFloat(fields[1], 64)
			require.NoError(b, err)
			return value
		}
	}
	b.Fatalf("there is no %s", name)
	return 0
}
