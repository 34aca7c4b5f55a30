package cluster_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// waiting is a document in which something waits for an hour.
type waiting struct {
	name, document string
	calls          []string // of the nodes that note them, in all
	least          time.Duration
}

func waitings() []waiting {
	return []waiting{
		{
			"for its time", `{"id":"w","nodes":[{"id":"a","type":"test.effect","config":{"name":"a"}},
			{"id":"b","type":"control.delay","config":{"ms":3600000}},{"id":"c","type":"test.effect","config":{"name":"c"}}],
			"connections":[{"fromNodeId":"a","fromPort":"out","toNodeId":"b","toPort":"value"},{"fromNodeId":"b","fromPort":"value","toNodeId":"c","toPort":"in"}]}`,
			[]string{"a", "c"},
			time.Hour,
		},
		{
			"two loops deep", `{"id":"w","nodes":[{"id":"outer","type":"control.foreach","timeoutMs":36000000,"config":{"list":[1,2],"concurrency":1},"body":{
			"nodes":[{"id":"x","type":"io.input","config":{"name":"item"}},{"id":"inner","type":"control.foreach","timeoutMs":36000000,"config":{"list":[1,2]},"body":{
				"nodes":[{"id":"y","type":"io.input","config":{"name":"item"}},{"id":"b","type":"control.delay","config":{"ms":3600000}},
					{"id":"c","type":"test.effect","config":{"name":"c"}}],
				"connections":[{"fromNodeId":"y","fromPort":"value","toNodeId":"b","toPort":"value"},{"fromNodeId":"b","fromPort":"value","toNodeId":"c","toPort":"in"}]}}],
			"connections":[]}}],"connections":[]}`,
			[]string{"c", "c", "c", "c"},
			2 * time.Hour,
		},
		{
			"between attempts", `{"id":"w","nodes":[{"id":"a","type":"test.effect","config":{"name":"fails at first"},
			"retry":{"maxAttempts":2,"initialMs":3600000,"maxMs":3600000}}],"connections":[]}`,
			[]string{"fails at first", "fails at first"},
			15 * time.Minute,
		},
	}
}

func (w *waiting) definition(t *testing.T) *workflow.Definition {
	t.Helper()
	def, err := workflow.Decode([]byte(w.document), workflow.Limits{})
	require.NoError(t, err)
	return def
}

// onTimers drives a run as its workflow does: when it is parked, it has no driver until its time.
// onTimers returns the largest delay.
func (s *stage) onTimers(h *cluster.Holder, id string, parked func()) (late time.Duration) {
	var until time.Time
	for {
		if !until.IsZero() {
			late = max(late, time.Since(until))
		}
		err := h.Drive(s.t.Context(), id)
		wait, ok := errors.AsType[*engine.Parked](err)
		if !ok {
			require.NoError(s.t, err)
			return late
		}
		until = wait.Until
		parked()
		<-time.After(time.Until(until))
	}
}

// TestRunsThatOnlyWaitHaveNoPlaceAnywhere has 200 of them: a minute on nobody holds any, nobody
// asks about any. They end when it is time.
func TestRunsThatOnlyWaitHaveNoPlaceAnywhere(t *testing.T) {
	const many = 200
	for _, w := range waitings() {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{t: t}
				failed := map[string]bool{}
				s.effects.fail = func(name, run string) error {
					if name != "fails at first" || failed[run] {
						return nil
					}
					failed[run] = true
					return errors.New("not yet")
				}
				h := s.driver()
				def := w.definition(t)
				var running sync.WaitGroup
				defer running.Wait() // also of a test that has failed, as a bubble has to end
				ids := make([]string, many)
				for i := range ids {
					ids[i] = s.begin(def)
					running.Go(func() {
						late := s.onTimers(h, ids[i], func() {})
						require.Less(t, late, 10*time.Second)
					})
				}
				began := time.Now()
				<-time.After(time.Minute)
				synctest.Wait()
				require.Zero(t, h.Holding(), "nobody holds a run")
				unfinished, err := s.Unfinished(t.Context(), many)
				require.NoError(t, err)
				require.Empty(t, unfinished)
				asked := s.changes.Load()
				<-time.After(5 * time.Minute)
				require.InDelta(t, asked, s.changes.Load(), 1, "nobody asks about them")
				running.Wait()
				require.GreaterOrEqual(t, time.Since(began), w.least)
				for _, id := range ids {
					require.Equal(t, engine.StatusCompleted, s.end(id).Result.Status)
				}
				require.Len(t, s.effects.calls, many*len(w.calls), "what was done before is not done again")
			})
		})
	}
}

// TestWhatWaitsGoesOnWithAnotherDriver has each stretch of a run driven by another process.
func TestWhatWaitsGoesOnWithAnotherDriver(t *testing.T) {
	for _, w := range waitings()[:2] {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{t: t}
				id := s.begin(w.definition(t))
				began, stretches := time.Now(), 0
				for {
					stretches++
					wait, parked := errors.AsType[*engine.Parked](s.driver().Drive(t.Context(), id))
					if !parked {
						break
					}
					require.NoError(t, node.Sleep(t.Context(), time.Until(wait.Until)))
				}
				require.Equal(t, engine.StatusCompleted, s.end(id).Result.Status, "%v", s.end(id).Error)
				require.InDelta(t, w.least, time.Since(began), float64(10*time.Second))
				require.Equal(t, w.calls, s.effects.calls)
				require.Equal(t, int(w.least/time.Hour)+1, stretches, "it was parked once for each hour")
			})
		})
	}
}
