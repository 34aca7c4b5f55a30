package e2e

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// deliverEvery is the time between two calls of a webhook.
const deliverEvery = 500 * time.Millisecond

const (
	everySecond = `{"id":"often","nodes":[
		{"id":"clock","type":"trigger.schedule","config":{"every":"1s","missed":"all","overlap":"allow"}},
		{"id":"out","type":"io.output","config":{"name":"at"}}],
		"connections":[{"fromNodeId":"clock","fromPort":"scheduled","toNodeId":"out","toPort":"value"}]}`
	called = `{"id":"called","nodes":[
		{"id":"hook","type":"trigger.webhook","config":{"path":"called-0123456789abcdefghijklm","auth":"none","dedupeHeader":"X-Delivery"}},
		{"id":"out","type":"io.output","config":{"name":"said"}}],
		"connections":[{"fromNodeId":"hook","fromPort":"raw","toNodeId":"out","toPort":"value"}]}`
	replied = `{"id":"replied","nodes":[
		{"id":"hook","type":"trigger.webhook","config":{"path":"replied-0123456789abcdefghijklm","auth":"none","respond":"node"}},
		{"id":"answer","type":"trigger.respond","config":{"status":201}}],
		"connections":[{"fromNodeId":"hook","fromPort":"raw","toNodeId":"answer","toPort":"body"}]}`
)

// firing is a cluster whose triggers fire while its processes are killed.
type firing struct {
	*members

	mu        sync.Mutex
	instances []*member
	workers   []*member
}

// any returns an instance that currently serves.
func (f *firing) any(n int) *member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.instances[n%len(f.instances)]
}

// arm saves and activates a workflow.
func (f *firing) arm(text string) {
	f.t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(f.t, err)
	c := f.at(f.any(0))
	_, err = c.Save(f.t.Context(), def, workflow.Condition{})
	require.NoError(f.t, err)
	_, err = c.Activate(f.t.Context(), def.ID, run.Arming{})
	require.NoError(f.t, err)
}

// post calls a webhook.
func post(ctx context.Context, url, delivery string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(delivery))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "text/plain")
	request.Header.Set("X-Delivery", delivery)
	answer, err := (&http.Client{Timeout: 30 * time.Second}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// deliver calls a webhook at changing instances until it is acknowledged.
func (f *firing) deliver(ctx context.Context, n int) bool {
	for try := 0; ctx.Err() == nil; try++ {
		status, _, err := post(ctx, f.any(n+try).url+"/hooks/called-0123456789abcdefghijklm", fmt.Sprint("delivery ", n))
		if err == nil && status == http.StatusAccepted {
			return true
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return false
}

// kill kills a process and starts a new one.
func (f *firing) kill(n int) {
	f.t.Helper()
	of, begin := &f.instances, func() *member { return f.instance() }
	if n%2 == 1 {
		of, begin = &f.workers, func() *member { return f.drives() }
	}
	f.mu.Lock()
	victim := (*of)[n/2%len(*of)]
	f.mu.Unlock()
	require.NoError(f.t, victim.Process.Kill())
	next := begin()
	f.mu.Lock()
	defer f.mu.Unlock()
	(*of)[n/2%len(*of)] = next
}

// runsOf iterates over the runs of a workflow at an instance.
func (f *firing) runsOf(p *member, id string) iter.Seq2[run.Record, error] {
	return func(yield func(run.Record, error) bool) {
		for q := (run.Query{WorkflowID: id, Limit: run.MaxLimit}); ; {
			page, err := f.at(p).Runs(f.t.Context(), q)
			if err != nil {
				yield(run.Record{}, err)
				return
			}
			for i := range page.Items {
				if !yield(page.Items[i], nil) {
					return
				}
			}
			if q.Cursor = page.NextCursor; q.Cursor == "" {
				return
			}
		}
	}
}

// outputs returns an output of all runs of a workflow, once all have completed.
func (f *firing) outputs(id, name string) (all []string) {
	f.t.Helper()
	c := f.at(f.any(0))
	var ids []string
	f.until(5*time.Minute, "all runs of "+id+" have completed", func() bool {
		ids = nil
		for r, err := range f.runsOf(f.any(0), id) {
			require.NoError(f.t, err)
			if r.Status != engine.StatusCompleted {
				return false
			}
			ids = append(ids, r.RunID)
		}
		return true
	})
	for _, id := range ids {
		ended, err := c.Run(f.t.Context(), id)
		require.NoError(f.t, err)
		all = append(all, fmt.Sprint(ended.Result.Outputs[name]))
	}
	slices.Sort(all)
	return all
}

// everyTimeOnce stops the schedule, and checks that each second has fired once.
func (f *firing) everyTimeOnce() (times []string) {
	f.t.Helper()
	f.arm(strings.Replace(everySecond, `"every":"1s"`, `"cron":"0 0 29 2 *"`, 1)) // waiting runs still run
	times = f.outputs("often", "at")
	for i := range times[1:] {
		before, err := time.Parse(time.RFC3339, times[i])
		require.NoError(f.t, err)
		require.Equal(f.t, before.Add(time.Second).UTC().Format("2006-01-02T15:04:05.000Z"), times[i+1], "times come once each, without a gap")
	}
	return times
}

// TestTriggersOfMembers kills instances and workers while a schedule and a webhook fire. No firing
// is lost or duplicated.
func TestTriggersOfMembers(t *testing.T) {
	t.Parallel()
	kills, chance := trials.Of(t, 10, 200), trials.Random(t)
	f := &firing{members: newMembers(t)}
	f.instances = []*member{f.members.instance(), f.members.instance()}
	f.workers = []*member{f.drives(), f.drives()}
	f.arm(everySecond)
	f.arm(called)
	f.arm(replied)
	for n := range 4 {
		said := fmt.Sprint("call ", n)
		status, body, err := post(t.Context(), f.any(n).url+"/hooks/replied-0123456789abcdefghijklm", said)
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, status, body)
		require.Equal(t, said, body, "what a worker answers reaches the caller of any instance")
	}

	ctx, stop := context.WithCancel(t.Context())
	var delivering sync.WaitGroup
	acknowledged := make([]int, 3)
	for c := range acknowledged {
		delivering.Go(func() {
			for n := c; ctx.Err() == nil; n += len(acknowledged) {
				if f.deliver(ctx, n) {
					acknowledged[c]++
				}
				select {
				case <-time.After(deliverEvery): // more than workers can drive would only wait
				case <-ctx.Done():
				}
			}
		})
	}
	for n := range kills {
		<-time.After(time.Duration(chance.IntN(2000)) * time.Millisecond) // a random state of the cluster
		f.kill(n)
	}
	<-time.After(10 * time.Second) // until the survivors have taken over
	stop()
	delivering.Wait()

	times := f.everyTimeOnce()
	require.Greater(t, len(times), kills)
	said := f.outputs("called", "said")
	require.Len(t, slices.Compact(slices.Clone(said)), len(said), "a delivery has made two runs")
	total := 0
	for c, n := range acknowledged {
		total += n
		for i := range n {
			require.Contains(t, said, fmt.Sprint("delivery ", c+i*len(acknowledged)), "it was acknowledged")
		}
	}
	t.Logf("%d kills: %d times and %d calls, each once", kills, len(times), total)
}
