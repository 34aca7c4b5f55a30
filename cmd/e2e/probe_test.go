//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// probeVariable makes the tests a probe of the server with that address.
const probeVariable = "SVC_PROBE"

func TestMain(m *testing.M) {
	if url := os.Getenv(probeVariable); url != "" {
		probeUntilEOF(url)
		return
	}
	if os.Getenv(crowdVariable) != "" {
		postTogether()
		return
	}
	os.Exit(m.Run())
}

// felt has the latencies of a server for other clients: of its health check, and of a small
// workflow.
type felt struct {
	Health, HealthMost time.Duration // what one in a hundred exceeds, and the slowest
	Run, RunMost       time.Duration
	Asked, Refused     int // of the runs
	Words              string
}

// probe is a separate process that sends requests to a server: in the one that attacks, it would
// measure how busy that is.
type probe struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.WriteCloser
	told  *json.Decoder
}

// probe starts to measure b.
func (b *binary) probe() *probe {
	b.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), probeVariable+"="+b.url)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(b.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(b.t, err)
	require.NoError(b.t, cmd.Start())
	return &probe{b.t, cmd, stdin, json.NewDecoder(stdout)}
}

// end ends the probe and returns the latencies.
func (p *probe) end() (f felt) {
	p.t.Helper()
	require.NoError(p.t, p.stdin.Close())
	require.NoError(p.t, p.told.Decode(&f))
	require.NoError(p.t, p.cmd.Wait())
	return f
}

// probeFor asks b for some time.
func (b *binary) probeFor(d time.Duration) felt {
	p := b.probe()
	<-time.After(d)
	return p.end()
}

// A probe has eight clients that each post a small workflow from time to time, and one
// that asks for the health.
const (
	probeClients = 8
	probeEvery   = 5 * time.Millisecond
)

// probeUntilEOF is the other process: it measures until its input ends, and prints the latencies.
func probeUntilEOF(url string) {
	goFirst()
	done := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	var group sync.WaitGroup
	var mu sync.Mutex
	var f felt
	var runs, health []time.Duration
	for range probeClients {
		group.Go(func() {
			took, words := probing(done, probeEvery, "POST", url+"/execute", quick)
			mu.Lock()
			defer mu.Unlock()
			runs = append(runs, took...)
			f.Asked += len(took) + len(words)
			if f.Refused += len(words); len(words) > 0 {
				f.Words = words[0]
			}
		})
	}
	group.Go(func() { health, _ = probing(done, 4*probeEvery, "GET", url+"/", "") })
	group.Wait()
	f.Run, f.RunMost = oneInAHundred(runs)
	f.Health, f.HealthMost = oneInAHundred(health)
	_ = json.NewEncoder(os.Stdout).Encode(f) // who has gone needs nothing
}

// goFirst raises the priority of this process, if permitted. Real clients have other processors,
// and the wait of the probe for a processor is not latency of the server.
func goFirst() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, thread := range threads {
		if id, err := strconv.Atoi(thread.Name()); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}, 0)
		}
	}
}

// probing sends a request repeatedly, and returns the durations of the answers and the errors.
func probing(done <-chan struct{}, every time.Duration, method, url, body string) (took []time.Duration, words []string) {
	client := newClient()
	client.Timeout = time.Minute
	for tick := time.NewTicker(every); ; { // at least once, however short the attack is
		began := time.Now()
		if said := askOnce(client, method, url, body); said != "" {
			words = append(words, said)
		} else {
			took = append(took, time.Since(began))
		}
		select {
		case <-done:
			tick.Stop()
			return took, words
		case <-tick.C:
		}
	}
}

// askOnce sends a request and returns what is wrong with the answer; "" if nothing is.
func askOnce(client *http.Client, method, url, body string) string {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Authorization", "Bearer "+binaryKey)
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Sprintf("%d %.200s %v", answer.StatusCode, text, err)
	}
	return ""
}

// oneInAHundred returns the 99th percentile and the maximum of the durations.
func oneInAHundred(took []time.Duration) (p99, most time.Duration) {
	if len(took) == 0 {
		return time.Minute, time.Minute // nobody was answered
	}
	slices.Sort(took)
	return took[len(took)*99/100], took[len(took)-1]
}

// attacked makes an attack and notes how others fare meanwhile, if they are beside it also
// against how they fared before, and how soon memory is back.
func (v *victim) attacked(a attack) {
	if !a.beside {
		p := v.probe()
		a.do(v)
		v.slowest = p.end().HealthMost
		return
	}
	quiet := v.probeFor(3 * time.Second)
	p := v.probe()
	a.do(v)
	busy := p.end()
	v.slowest = busy.HealthMost
	v.others = fmt.Sprintf("%v, ×%.1f", busy.Run.Round(10*time.Microsecond), float64(busy.Run)/float64(quiet.Run))
	if busy.Refused > 0 {
		v.others += fmt.Sprintf(", %d of %d refused", busy.Refused, busy.Asked)
	}
	v.t.Logf("one run in a hundred took %v and more (at most %v), before that %v (at most %v); health %v (at most %v), before that %v; refused: %d of %d %s",
		busy.Run, busy.RunMost, quiet.Run, quiet.RunMost, busy.Health, busy.HealthMost, quiet.Health, busy.Refused, busy.Asked, busy.Words)
	require.True(v.t, healthy(v.url+"/"), "the server has not stood it: %s", v.lastWords())
	v.client.CloseIdleConnections()
	ended := time.Now()
	require.Eventually(v.t, func() bool { return v.resident() < 300<<20 }, time.Minute, 100*time.Millisecond, "memory is not given back")
	v.t.Logf("memory was back after %v", time.Since(ended).Round(100*time.Millisecond))
}
