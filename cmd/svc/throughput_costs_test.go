package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// costed is a request whose cost is measured. Each is sent on 64 connections at once, except
// for instructions, which are counted on one.
type costed struct {
	name    string
	request []byte
}

// costedRequests saves the workflows that the requests need.
func costedRequests(b *testing.B, server *process) []costed {
	b.Helper()
	w1, w100 := chainDocument("W1", 1), chainDocument("W2_100", 100)
	server.save(b, w1)
	server.save(b, w100)
	inputs := inputsOf("hello")
	return []costed{
		{"W1_posted", server.post("/execute", w1)},
		{"W1_by_id", server.post("/workflows/W1/run", inputs)},
		{"W2_100_posted", server.post("/execute", w100)},
		{"W2_100_by_id", server.post("/workflows/W2_100/run", inputs)},
	}
}

// BenchmarkThroughputCosts measures what the system does for a request: microseconds of the
// processors, how often a thread was made to wait for another, and system calls.
func BenchmarkThroughputCosts(b *testing.B) {
	server := startServer(b, buildFor(b, "."))
	for _, c := range costedRequests(b, server) {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				const rounds, length = 5, 2 * time.Second
				sent := asked{server, c.request}
				sent.costing(b, 64, length/4)
				var micros, switches []float64
				for range rounds {
					before, began := server.switches(b), time.Now()
					l, hundredths := sent.costing(b, 64, length)
					answers := l.rate * time.Since(began).Seconds()
					micros, switches = append(micros, hundredths*1e4), append(switches, (server.switches(b)-before)/answers)
				}
				b.ReportMetric(0, "ns/op") // says nothing here
				b.ReportMetric(median(micros), "cpu-µs")
				b.ReportMetric(median(switches), "involuntary")
				if calls := server.systemCalls(b, c.request); calls > 0 {
					b.ReportMetric(calls, "syscalls")
				}
			}
		})
	}
}

// switches returns how often the threads of the process had to give their processor to
// another. Threads that ended are not counted: Go keeps its threads.
func (p *process) switches(b *testing.B) float64 {
	b.Helper()
	sum := 0.0
	for _, n := range p.ofThreads(b, "nonvoluntary_ctxt_switches:") {
		sum += n
	}
	return sum
}

// ofThreads returns a figure of each thread of the process.
func (p *process) ofThreads(b *testing.B, name string) (figures []float64) {
	b.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", p.pid))
	require.NoError(b, err)
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has just ended
		}
		figures = append(figures, figureIn(b, text, name))
	}
	return figures
}

// systemCalls returns how many system calls a request takes, as strace counts them; 0 without
// strace. Everything is many times as slow under strace.
func (p *process) systemCalls(b *testing.B, request []byte) float64 {
	b.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.Log("without strace system calls are not counted")
		return 0
	}
	report := filepath.Join(b.TempDir(), "calls")
	cmd := exec.Command(strace, "-f", "-c", "-o", report, "-p", strconv.Itoa(p.pid))
	require.NoError(b, cmd.Start())
	require.Eventually(b, func() bool { return slices.Min(p.ofThreads(b, "TracerPid:")) > 0 }, time.Minute, 10*time.Millisecond,
		"strace has not attached to all threads")
	began := time.Now()
	l := load(b, 64, p.addr, request, 2*time.Second)
	answers := l.rate * time.Since(began).Seconds()
	require.NoError(b, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait() // strace ends by the signal that it was sent
	text, err := os.ReadFile(report)
	require.NoError(b, err)
	for line := range bytes.Lines(text) { // % time, seconds, microseconds for each, calls, …
		if fields := strings.Fields(string(line)); len(fields) > 3 && fields[len(fields)-1] == "total" {
			calls, err := strconv.ParseFloat(fields[3], 64)
			require.NoError(b, err)
			return calls / answers
		}
	}
	b.Fatalf("strace counted nothing: %s", text)
	return 0
}

// BenchmarkThroughputInstructions counts the instructions of a request on one connection with
// callgrind. The figure repeats within 1 %, whatever else the machine does.
func BenchmarkThroughputInstructions(b *testing.B) {
	valgrind, err := exec.LookPath("valgrind")
	if err != nil {
		b.Skip("apt-get install valgrind")
	}
	dir := b.TempDir()
	counts := filepath.Join(dir, "counts")
	// Without asyncpreemptoff callgrind aborts at the signals that preempt goroutines.
	b.Setenv("GODEBUG", "asyncpreemptoff=1")
	program := buildFor(b, ".", "-tags", "valgrind")
	server := serveBy(b, exec.Command(valgrind, "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file="+counts, program), filepath.Join(dir, "data"))
	for i, c := range costedRequests(b, server) {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				const warm, counted = 300, 1000
				require.NoError(b, repeat(server.addr, c.request, warm))
				server.callgrind(b, "-i", "on")
				require.NoError(b, repeat(server.addr, c.request, counted))
				server.callgrind(b, "-d")
				server.callgrind(b, "-i", "off")
				b.ReportMetric(0, "ns/op") // says nothing here
				b.ReportMetric(totalOf(b, fmt.Sprintf("%s.%d", counts, i+1))/counted, "instructions")
			}
		})
	}
}

// callgrind has the process under callgrind do something.
func (p *process) callgrind(b *testing.B, args ...string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "callgrind_control", append(args, strconv.Itoa(p.pid))...).CombinedOutput()
	require.NoError(b, err, "%s", out)
}

// totalOf returns the instructions that a file of callgrind counts.
func totalOf(b *testing.B, path string) float64 {
	b.Helper()
	text, err := os.ReadFile(path)
	require.NoError(b, err)
	found := regexp.MustCompile(`(?m)^(?:totals|summary): (\d+)`).FindSubmatch(text)
	require.NotNil(b, found, "no total in %s", path)
	total, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(b, err)
	return total
}

// repeat sends a request some times on one connection.
func repeat(addr string, request []byte, times int) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	for range times {
		if err := c.exchange(request); err != nil {
			return err
		}
	}
	return nil
}
