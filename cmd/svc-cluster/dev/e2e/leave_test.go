package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// Nodes of the tests: a loop whose nodes take a second and a half each, a placed node, and a delay.
const (
	rounds  = 4
	inARow  = `{"id":"row","type":"control.foreach","config":{"list":[0,0,0,0],"concurrency":1},"body":{"nodes":[{"id":"a","type":"here.note","config":{"ms":1500}}],"connections":[]}}`
	placed  = `{"id":"p","type":"test.note","config":{"ms":3000}}`
	andWait = `{"id":"d","type":"control.delay","config":{"ms":5000}}`
)

// TestARollingRestart stops each process in turn while runs are active. No run fails, no node is
// called twice, and other processes take the runs over at once.
func TestARollingRestart(t *testing.T) {
	t.Parallel()
	const atOnce = 4
	w := newWorld(t)
	workers := []*process{w.member(10, placedOn), w.member(10, placedOn)}
	a := w.instance()
	var all []string
	var longest time.Duration
	for range trials.Of(t, 2*len(workers), 20) {
		ids := make([]string, atOnce)
		for i := range ids {
			ids[i] = w.started(a, inARow+","+placed+","+andWait)
		}
		all = append(all, ids...)
		w.until(time.Minute, "the runs are under way", func() bool { return w.inFlight(ids) >= 2*atOnce })
		leaves := workers[0]
		require.NoError(t, leaves.Process.Signal(syscall.SIGTERM))
		longest = max(longest, w.handedOver(ids, leaves.name))
		require.NoError(t, leaves.Wait(), "it ends with 0")
		workers = append(workers[1:], w.member(10, placedOn))
		for id, status := range w.ended(ids, 2*time.Minute) {
			require.Equal(t, engine.StatusCompleted, status, id)
		}
	}
	begun := w.noted("begin")
	require.Len(t, begun, len(all)*(rounds+1))
	for key, by := range begun {
		require.Len(t, by, 1, "%s was called twice", key)
	}
	t.Logf("%d runs, %d calls, each made once; the longest time that a run had no driver: %s", len(all), len(begun), longest.Round(time.Millisecond))
	require.Less(t, longest, silence, "nobody had to be taken for dead")
}

// silence is the time after which a driver without a sign of life counts as dead.
const silence = 10 * time.Second

// inFlight returns the number of unfinished calls of some runs.
func (w *world) inFlight(ids []string) (n int) {
	w.t.Helper()
	ended := w.noted("end")
	for key := range w.noted("begin") {
		for _, id := range ids {
			if strings.HasPrefix(key, id) && ended[key] == nil {
				n++
			}
		}
	}
	return n
}

// handedOver waits until no process with that name drives any of the runs, and returns the longest
// time that a run had no driver.
func (w *world) handedOver(ids []string, by string) (longest time.Duration) {
	w.t.Helper()
	last := map[string]time.Time{}
	w.until(time.Minute, "others drive all runs", func() bool {
		over := true
		now := time.Now()
		for id, c := range w.changes(ids) {
			switch {
			case c.Status != engine.StatusRunning:
			case c.Driver == by:
				last[id], over = now, false
			case c.Driver == "":
				over = false
			default:
				if at, mine := last[id]; mine {
					longest = max(longest, now.Sub(at))
					delete(last, id)
				}
			}
		}
		return over
	})
	return longest
}
