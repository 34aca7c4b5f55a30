package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// each returns a loop with a placed node.
func each(n int, ms, text string) string {
	return `{"id":"each","type":"control.foreach","config":{"list":[` + strings.Repeat("0,", n-1) + `0],"concurrency":256},"body":{
		"nodes":[{"id":"a","type":"test.note","config":{"ms":` + ms + `,"text":"` + text + `"}}],"connections":[]}}`
}

// TestPlacedCalls kills drivers, and workers that execute placed nodes.
func TestPlacedCalls(t *testing.T) {
	t.Parallel()
	const bound = 256 // limit of concurrent calls of a run
	items := trials.Of(t, 60, 1000)
	w := newWorld(t)
	if items > 2*bound {
		w.atOnce = bound * 3 / 5
	}
	drivers := []*process{w.member(10, ""), w.member(10, "")}
	workers := []*process{w.member(0, placedOn), w.member(0, placedOn)}
	a := w.instance()

	t.Run("a driver is killed", func(t *testing.T) {
		w.t = t
		id := w.started(a, each(items, "3000", canary))
		w.until(time.Minute, "some of them were called", func() bool { return len(w.noted("begin")) > items/10 })
		driver := w.changes([]string{id})[id].Driver
		for i, d := range drivers {
			if d.name == driver {
				d.kill()
				drivers = append(drivers[:i], drivers[i+1:]...)
				break
			}
		}
		require.Equal(t, engine.StatusCompleted, w.ended([]string{id}, 3*time.Minute)[id])
		begun, byWorker := w.noted("begin"), map[string]int{}
		require.Len(t, begun, items)
		for key, by := range begun {
			require.Len(t, by, 1, "%s was called twice", key)
			byWorker[by[0]]++
		}
		t.Logf("%d calls, by worker %v", items, byWorker)
		calls, err := w.runs.PlacedCalls(t.Context(), id)
		require.NoError(t, err)
		task, together := calls[len(calls)-1].Task, 0
		for _, c := range calls {
			if c.Task == task {
				together++
			}
		}
		w.recorded(t, "calls", task, 5+6*together+10) // its driver was killed in between
		for _, p := range workers {
			require.GreaterOrEqual(t, byWorker[p.name], items*3/10)
		}
		require.LessOrEqual(t, w.mostAtOnce(), bound)
	})

	t.Run("a cancel", func(t *testing.T) {
		w.t = t
		id := w.started(a, each(4, "300000", ""))
		begun := func(what string) (n int) {
			for key := range w.noted(what) {
				if strings.HasPrefix(key, id) {
					n++
				}
			}
			return n
		}
		w.until(time.Minute, "all of them were called", func() bool { return begun("begin") == 4 })
		asked := time.Now()
		require.NoError(t, a.Cancel(t.Context(), id))
		require.Equal(t, engine.StatusCancelled, w.ended([]string{id}, time.Minute)[id])
		ended := time.Since(asked)
		w.until(time.Minute, "all of them have ended", func() bool { return begun("end") == 4 })
		t.Logf("cancelled: the run ended after %s, its calls after %s", ended.Round(time.Millisecond), time.Since(asked).Round(time.Millisecond))
	})

	t.Run("a worker is killed", func(t *testing.T) {
		w.t = t
		id := w.started(a, each(6, "4000", ""))
		mine := func() (keys []string) {
			for key, by := range w.noted("begin") {
				if strings.HasPrefix(key, id) && by[0] == workers[0].name {
					keys = append(keys, key)
				}
			}
			return keys
		}
		w.until(time.Minute, "it was called", func() bool { return len(mine()) > 0 })
		workers[0].kill()
		require.Equal(t, engine.StatusCompleted, w.ended([]string{id}, 3*time.Minute)[id])
		for key, by := range w.noted("begin") {
			if strings.HasPrefix(key, id) {
				require.LessOrEqual(t, len(by), 2, key)
			}
		}
	})

	w.t = t
	w.temporal.end()
	all, err := os.ReadFile(filepath.Join(w.dir, "temporal.db"))
	require.NoError(t, err)
	require.NotContains(t, string(all), canary, "no input or output is in Temporal's file")
}

// mostAtOnce returns the largest number of concurrent calls.
func (w *world) mostAtOnce() (most int) {
	w.t.Helper()
	text, err := os.ReadFile(w.noteFile())
	require.NoError(w.t, err)
	now := 0
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "begin "):
			now++
		case strings.HasPrefix(line, "end "):
			now--
		}
		most = max(most, now)
	}
	return most
}

// recorded checks that the history of a task has at most that many events, and saves it like
// TestHistories.
func (w *world) recorded(t *testing.T, name, id string, most int) {
	t.Helper()
	w.until(time.Minute, "its task has ended", func() bool {
		return has(t, w.client, id, enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED)
	})
	told := events(t, w.client, id)
	require.LessOrEqual(t, len(told.Events), most)
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(told)
	require.NoError(t, err)
	require.NotContains(t, string(text), canary)
	if dir := os.Getenv("SVC_TEST_RECORD"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".json"), append(text, '\n'), 0o600))
	}
}
