package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// places is the number of run slots.
const places = 10

// brief returns a workflow whose only node takes ms milliseconds.
func brief(ms int) *workflow.Definition {
	return &workflow.Definition{ID: "brief", Nodes: []workflow.Node{{ID: "a", Type: "control.delay", Config: map[string]any{"ms": ms, "value": 1}}}}
}

// answered counts answers by run id and by status.
type answered struct {
	ids    map[string]int
	status map[int]int
}

// atOnce sends n requests concurrently, to all instances.
func atOnce(t *testing.T, m *members, instances []*member, n int, request func(c *client.Client) (string, error)) answered {
	t.Helper()
	a := answered{map[string]int{}, map[int]int{}}
	clients := make([]*client.Client, len(instances))
	for i, p := range instances {
		clients[i] = m.at(p)
	}
	var mu sync.Mutex
	var asking sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		asking.Go(func() {
			<-begin
			id, err := request(clients[i%len(clients)])
			mu.Lock()
			defer mu.Unlock()
			if problem, told := errors.AsType[*client.Error](err); told {
				a.status[problem.Status]++
			} else if err != nil {
				a.status[0]++
			} else {
				a.ids[id]++
				a.status[http.StatusAccepted]++
			}
		})
	}
	close(begin)
	asking.Wait()
	return a
}

// TestRacesOverInstances sends the same requests to three instances at once.
func TestRacesOverInstances(t *testing.T) {
	t.Parallel()
	m := newMembers(t)
	var instances []*member
	for range 3 {
		instances = append(instances, m.instance("--max-runs", fmt.Sprint(places)))
	}
	start := func(ms int, q run.Request) func(c *client.Client) (string, error) {
		return func(c *client.Client) (string, error) { return c.Start(t.Context(), brief(ms), q) }
	}

	starts := trials.Of(t, 200, 1000)
	got := atOnce(t, m, instances, starts, start(100, run.Request{}))
	require.Len(t, got.ids, places)
	require.Equal(t, map[int]int{http.StatusAccepted: places, http.StatusServiceUnavailable: starts - places}, got.status)
	m.drives()
	m.drives()
	var ids []string
	for id := range got.ids {
		ids = append(ids, id)
	}
	m.ended(ids, time.Minute)

	got = atOnce(t, m, instances, 64, start(100, run.Request{IdempotencyKey: "one-of-64"}))
	require.Len(t, got.ids, 1, "%v", got.status)
	require.Equal(t, map[int]int{http.StatusAccepted: 64}, got.status)

	m.waitedUnderOneKey(instances)

	id, err := m.at(instances[0]).Start(t.Context(), brief(60_000), run.Request{})
	require.NoError(t, err)
	require.NoError(t, m.at(instances[1]).Cancel(t.Context(), id))
	m.ended([]string{id}, time.Minute)
	got = atOnce(t, m, instances, 16, func(c *client.Client) (string, error) { return c.Resume(t.Context(), id, run.Resumption{}) })
	require.Len(t, got.ids, 1)
	require.Equal(t, map[int]int{http.StatusAccepted: 1, http.StatusConflict: 15}, got.status)
	for id := range got.ids {
		require.NoError(t, m.at(instances[2]).Cancel(t.Context(), id))
		m.ended([]string{id}, time.Minute)
	}
	m.cancelAgainstEnd(instances)
}

// waitedUnderOneKey has many callers with the same idempotency key wait for a run at different
// instances. All get the same run.
func (m *members) waitedUnderOneKey(instances []*member) {
	m.t.Helper()
	def := brief(100).Format()
	text := make([]string, 64)
	var asking sync.WaitGroup
	for i := range text {
		asking.Go(func() {
			var status int
			status, text[i] = m.send(instances[i%len(instances)], apiKey, http.MethodPost, "/execute", string(def), "Idempotency-Key", "waited-for")
			assert.Equal(m.t, http.StatusOK, status, text[i])
		})
	}
	asking.Wait()
	for i := range text {
		require.Equal(m.t, text[0], text[i])
	}
	page, err := m.at(instances[0]).Runs(m.t.Context(), run.Query{WorkflowID: "brief"})
	require.NoError(m.t, err)
	require.Contains(m.t, text[0], page.Items[0].RunID)
}

// cancelAgainstEnd cancels runs about when they end. Each run ends once, and all instances report
// the same end.
func (m *members) cancelAgainstEnd(instances []*member) {
	m.t.Helper()
	times, random, cancelled := trials.Of(m.t, 12, 200), trials.Random(m.t), 0
	for n := range times {
		at := func(i int) *client.Client { return m.at(instances[(n+i)%len(instances)]) }
		id, err := at(0).Start(m.t.Context(), brief(100), run.Request{})
		require.NoError(m.t, err)
		m.underWayOrOver(id)
		<-time.After(time.Duration(random.IntN(150)) * time.Millisecond)
		if err = at(1).Cancel(m.t.Context(), id); err != nil {
			problem, told := errors.AsType[*client.Error](err)
			require.True(m.t, told, "%v", err)
			require.Equal(m.t, http.StatusConflict, problem.Status)
		}
		m.ended([]string{id}, time.Minute)
		var ends []string
		for i := range instances {
			last := m.follow(instances[i], id)
			require.True(m.t, last.Name.Terminal())
			text, err := last.MarshalJSON()
			require.NoError(m.t, err)
			ends = append(ends, string(text))
			if i == 0 && last.Result.Status == engine.StatusCancelled {
				cancelled++
			}
		}
		require.Equal(m.t, []string{ends[0], ends[0], ends[0]}, ends)
	}
	m.t.Logf("of %d runs %d were cancelled before their end", times, cancelled)
}

// underWayOrOver waits until a run has a frame.
func (m *members) underWayOrOver(id string) {
	m.t.Helper()
	m.until(time.Minute, "the run has begun", func() bool { return m.changes([]string{id})[id].Frames > 0 })
}
