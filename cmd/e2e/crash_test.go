//go:build e2e && linux

package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

// TestCrashes ends a server with kill -9 while it saves and runs, over and
// over, and requires that its successor knows everything that was acknowledged.
// `make kills` sets how often.
func TestCrashes(t *testing.T) {
	crashes := trials.Count(t, trials.Kills, 30)
	data := filepath.Join(t.TempDir(), "data")
	var starts []time.Duration
	before, random := new(acknowledged), trials.Random(t)
	resumed, interrupted := 0, 0
	for crash := range crashes {
		began := time.Now()
		b := launch(t, start{data: data})
		starts = append(starts, time.Since(began))
		i, r := b.verify(before)
		interrupted, resumed = interrupted+i, resumed+r
		before = b.worked(crash, time.Duration(random.Int64N(int64(60*time.Millisecond))))
	}
	slices.Sort(starts)
	t.Logf("%d crashes: %d runs interrupted, %d resumed; ready after %v in the middle, %v at worst",
		crashes, interrupted, resumed, starts[len(starts)/2], starts[len(starts)-1])
	require.Positive(t, resumed, "no crash hit a run")
}

// acknowledged is what a server has confirmed to its clients before it crashed.
type acknowledged struct {
	mu    sync.Mutex
	saves map[string]int         // workflow → number of its last save
	runs  map[string]*sentFrames // by id
}

// sentFrames is what a client was sent of a run.
type sentFrames struct {
	file   string // that the run's nodes append to
	frames []string
}

// worked has clients use b until it is killed after a time, and returns what it has
// acknowledged.
func (b *binary) worked(crash int, lifetime time.Duration) *acknowledged {
	ack := &acknowledged{saves: map[string]int{}, runs: map[string]*sentFrames{}}
	var clients sync.WaitGroup
	for i := range 2 {
		clients.Go(func() { b.keepSaving(ack, fmt.Sprintf("saved-%d-%d", crash, i)) })
		clients.Go(func() { b.keepRunning(ack, &clients, fmt.Sprintf("run-%d-%d", crash, i)) })
	}
	<-time.After(lifetime)
	b.kill()
	clients.Wait()
	return ack
}

func (b *binary) keepSaving(ack *acknowledged, id string) {
	for n := 1; ; n++ {
		r, err := b.try("POST", "/workflows", noted(id, strconv.Itoa(n)))
		if err != nil {
			return
		}
		if r.status != http.StatusCreated {
			b.t.Errorf("%d: %s", r.status, r.body)
			return
		}
		ack.mu.Lock()
		ack.saves[id] = n
		ack.mu.Unlock()
	}
}

func (b *binary) keepRunning(ack *acknowledged, clients *sync.WaitGroup, name string) {
	for n := range 4 {
		file := fmt.Sprintf("%s-%d", name, n)
		r, err := b.try("POST", "/executions", counting(file))
		if err != nil {
			return
		}
		if r.status != http.StatusAccepted {
			b.t.Errorf("%d: %s", r.status, r.body)
			return
		}
		runID, run := field(b.t, r, "runId"), &sentFrames{file: file}
		ack.mu.Lock()
		ack.runs[runID] = run
		ack.mu.Unlock()
		clients.Go(func() { run.frames, _ = b.frames(runID) }) // until the crash
	}
}

// counting is a workflow whose nodes each append their number to a file.
func counting(file string) string {
	var nodes, wires []string
	for i := range 8 {
		nodes = append(nodes,
			fmt.Sprintf(`{"id":"w%d","type":"io.file_write","config":{"path":%q,"content":"w%d\n","append":true}}`, i, file, i),
			fmt.Sprintf(`{"id":"d%d","type":"control.delay","config":{"ms":3}}`, i))
		wires = append(wires, fmt.Sprintf(`{"fromNodeId":"w%d","fromPort":"path","toNodeId":"d%d","toPort":"value"}`, i, i))
		if i > 0 {
			nodes[2*i] = strings.Replace(nodes[2*i], fmt.Sprintf(`"path":%q,`, file), "", 1)
			wires = append(wires, fmt.Sprintf(`{"fromNodeId":"d%d","fromPort":"value","toNodeId":"w%d","toPort":"path"}`, i-1, i))
		}
	}
	return fmt.Sprintf(`{"id":"counting","nodes":[%s],"connections":[%s]}`, strings.Join(nodes, ","), strings.Join(wires, ","))
}

// frames returns what the stream of a run sends until it ends, frame by frame.
func (b *binary) frames(runID string) ([]string, error) {
	answer, err := b.client.Do(b.request(context.WithoutCancel(b.t.Context()), "GET", "/executions/"+runID+"/events", ""))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var frames []string
	var frame strings.Builder
	for in := bufio.NewReader(answer.Body); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return frames, err
		}
		frame.WriteString(line)
		if line == "\n" {
			frames = append(frames, frame.String())
			frame.Reset()
		}
	}
}

// verify requires that b knows all that was acknowledged, and resumes the runs
// that were interrupted.
func (b *binary) verify(ack *acknowledged) (interrupted, resumed int) {
	b.t.Helper()
	for id, n := range ack.saves {
		var def struct{ Notes []struct{ Text string } }
		require.NoError(b.t, json.Unmarshal(b.do(http.StatusOK, "GET", "/workflows/"+id, "").body, &def))
		saved, err := strconv.Atoi(strings.TrimRight(def.Notes[0].Text, "."))
		require.NoError(b.t, err)
		require.GreaterOrEqual(b.t, saved, n, "an acknowledged save is lost")
		require.LessOrEqual(b.t, saved, n+1)
	}
	for runID, run := range ack.runs {
		frames, _ := b.frames(runID)
		require.GreaterOrEqual(b.t, len(frames), len(run.frames), "events of %s are lost", runID)
		for i := range run.frames {
			require.Equal(b.t, run.frames[i], frames[i])
		}
		last := frames[len(frames)-1]
		if strings.Contains(last, "event: completed\n") {
			b.requireOnce(run.file, frames)
			continue
		}
		require.Contains(b.t, last, "event: failed\n")
		require.Contains(b.t, last, `"code":"interrupted"`)
		interrupted++
		next := field(b.t, b.do(http.StatusAccepted, "POST", "/executions/"+runID+"/resume", ""), "runId")
		b.waitFor(next, "completed")
		b.requireOnce(run.file, frames)
		resumed++
	}
	return interrupted, resumed
}

// requireOnce requires that every node of a counting workflow has run, and once
// if its end is among the frames. One that the crash hit may have run twice.
func (b *binary) requireOnce(file string, frames []string) {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(b.data, "files", file))
	require.NoError(b.t, err)
	recorded := strings.Join(frames, "")
	for i := range 8 {
		ran := strings.Count(string(text), fmt.Sprintf("w%d\n", i))
		require.Positive(b.t, ran, file)
		if strings.Contains(recorded, fmt.Sprintf(`"nodeId":"w%d","status":"succeeded"`, i)) {
			require.Equal(b.t, 1, ran, "%s: node w%d ran again:\n%s", file, i, text)
		}
		require.LessOrEqual(b.t, ran, 2, file)
	}
}
