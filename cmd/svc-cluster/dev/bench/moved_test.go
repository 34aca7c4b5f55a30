package bench

import (
	"slices"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store"
)

// benchMoved measures how long runs have no driver after their driver was killed, and after it was
// asked to stop.
func benchMoved(r *rig) {
	c := r.instance().holds(delays("steps", 200, 200*time.Millisecond))
	runs := r.runs()
	var takeovers, handovers []time.Duration
	worker := r.worker()
	for i := range 6 {
		ids := r.driven(c, runs)
		next := r.worker()
		if i%2 == 0 {
			killed := time.Now()
			worker.kill()
			takeovers = append(takeovers, r.taken(runs, ids, killed)...)
		} else {
			require.NoError(r.b, worker.Process.Signal(syscall.SIGTERM))
			require.NoError(r.b, worker.Wait())
			r.taken(runs, ids, time.Now())
			handovers = append(handovers, r.gaps(c, ids)...)
		}
		for _, id := range ids {
			require.NoError(r.b, c.Cancel(r.b.Context(), id))
		}
		worker = next
	}
	report(r.b, "takeover", map[string]float64{"p50-ms": ms(percentile(takeovers, 50)), "p95-ms": ms(percentile(takeovers, 95))})
	report(r.b, "handover", map[string]float64{"p50-ms": ms(percentile(handovers, 50)), "p95-ms": ms(percentile(handovers, 95))})
}

// driven starts runs and waits until they are driven.
func (r *rig) driven(c *client.Client, runs store.SharedRuns) (ids []string) {
	r.b.Helper()
	for range 20 {
		ids = append(ids, begin(r.b, c, "steps"))
	}
	until(r.b, "all runs are driven", func() bool {
		return !slices.ContainsFunc(r.changes(runs, ids), func(c store.Change) bool { return c.Frames < 3 || c.Driver == "" })
	})
	return ids
}

// taken waits until the runs have another driver, and returns how long each had none.
func (r *rig) taken(runs store.SharedRuns, ids []string, since time.Time) (took []time.Duration) {
	r.b.Helper()
	known := map[string]bool{}
	until(r.b, "all runs have another driver", func() bool {
		for _, c := range r.changes(runs, ids) {
			if c.Epoch > 1 && !known[c.RunID] {
				known[c.RunID], took = true, append(took, time.Since(since))
			}
		}
		return len(took) == len(ids)
	})
	return took
}

// gaps returns, for each run, the longest pause between the end of a node and the start of the next
// one, which the new driver starts.
func (r *rig) gaps(c *client.Client, ids []string) (longest []time.Duration) {
	r.b.Helper()
	for _, id := range ids {
		var gap time.Duration
		var ended time.Time
		for e, err := range c.Events(r.b.Context(), id, 0) {
			require.NoError(r.b, err)
			if e.Name == engine.EventStarted && !ended.IsZero() {
				gap = max(gap, e.Time.Sub(ended))
			}
			ended = time.Time{}
			if e.Name == engine.EventNode {
				ended = e.Time
			}
			if time.Since(e.Time) < time.Second/2 { // later events come from the new driver
				break
			}
		}
		longest = append(longest, gap)
	}
	return longest
}
