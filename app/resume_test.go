package app

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// counted is a workflow that counts first, then each item of a list in a body,
// then last.
const counted = `{"id":"counted","nodes":[
	{"id":"first","type":"test.count","config":{"label":"first"}},
	{"id":"items","type":"json.parse","config":{"text":"[1,2,3]"}},
	{"id":"loop","type":"control.foreach","config":{"concurrency":1},"body":{"nodes":[
		{"id":"item","type":"io.input","config":{"name":"item","type":"any"}},
		{"id":"count","type":"test.count","config":{"label":"item"}},
		{"id":"then","type":"test.count","config":{"label":"then"}},
		{"id":"out","type":"io.output","config":{"name":"done"}}],
		"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"count","toPort":"item"},
			{"fromNodeId":"count","fromPort":"item","toNodeId":"then","toPort":"item"},
			{"fromNodeId":"then","fromPort":"item","toNodeId":"out","toPort":"value"}]}},
	{"id":"last","type":"test.count","config":{"label":"last"}},
	{"id":"out","type":"io.output","config":{"name":"all"}}],
	"connections":[{"fromNodeId":"items","fromPort":"value","toNodeId":"loop","toPort":"list"},
		{"fromNodeId":"loop","fromPort":"done","toNodeId":"last","toPort":"item"},
		{"fromNodeId":"last","fromPort":"item","toNodeId":"out","toPort":"value"}]}`

func TestResumeCallsNoFinishedNodeAgain(t *testing.T) {
	c := newCounter()
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
		c.set(c.failing, "then 2")
		first, err := a.StartJSON(t.Context(), []byte(counted), run.Request{IdempotencyKey: "k"})
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, ended(t, a, first).Result.Status)

		c.set(c.failing, "then 3")
		second, err := a.Resume(t.Context(), first, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, ended(t, a, second).Result.Status)
		record, err := a.Run(t.Context(), second)
		require.NoError(t, err)
		require.Equal(t, first, record.ResumedFrom)

		c.set(c.failing)
		third, err := a.Resume(t.Context(), second, run.Resumption{})
		require.NoError(t, err)
		last := ended(t, a, third)
		require.Equal(t, engine.EventCompleted, last.Name, "%v", last.Error)
		require.Equal(t, map[string]any{"all": []any{1, 2, 3}}, last.Result.Outputs)
		for label, calls := range map[string]int{
			"first": 1, "item 1": 1, "item 2": 1, "item 3": 1, "then 1": 1, "then 2": 2, "then 3": 2, "last [1 2 3]": 1,
		} {
			require.Equal(t, calls, c.count(label), label)
		}
		for _, e := range everything(t, a, third, 0) {
			if e.Name == engine.EventNode && (e.NodeID == "first" || strings.HasSuffix(e.NodeID, "/count")) {
				require.True(t, e.Reused, e.NodeID)
			}
		}
		_, err = a.Resume(t.Context(), third, run.Resumption{})
		require.ErrorIs(t, err, runs.ErrRunNotResumable, "it has completed")
	})
}

// A resumed run may end before it gets as far as the run before it.
func TestResumeRemembersAllRunsBefore(t *testing.T) {
	c := newCounter()
	g := &slowStart{}
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}, Runner: g}, func(t *testing.T, a *App) {
		c.set(c.failing, "last [1 2 3]")
		id, err := a.StartJSON(t.Context(), []byte(counted), run.Request{})
		require.NoError(t, err)
		ended(t, a, id)
		for range 2 {
			id, err = a.Resume(t.Context(), id, run.Resumption{})
			require.NoError(t, err)
			require.NoError(t, a.Cancel(t.Context(), id), "before its first node")
			require.Equal(t, engine.StatusCancelled, ended(t, a, id).Result.Status)
		}
		c.set(c.failing)
		id, err = a.Resume(t.Context(), id, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
		require.Equal(t, 1, c.count("first"))
		require.Equal(t, 1, c.count("item 2"))
	})
}

// slowStart waits before it begins, so that a run can be cancelled before its
// first node.
type slowStart = tardyRunner

func TestResumeRunsTheWorkflowAsItWas(t *testing.T) {
	c := newCounter()
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
		save := func(text string) {
			_, err := a.Save(t.Context(), parse(t, text), workflow.Condition{})
			require.NoError(t, err)
		}
		inner := strings.Replace(counted, `"id":"counted"`, `"id":"inner"`, 1)
		save(inner)
		save(`{"id":"outer","nodes":[{"id":"call","type":"control.subworkflow","config":{"workflowId":"inner"}},
			{"id":"out","type":"io.output","config":{"name":"said","value":"?"}}],"connections":[]}`)
		c.set(c.failing, "last [1 2 3]")
		id, err := a.StartStored(t.Context(), "outer", run.Request{Overrides: map[string]map[string]any{"out": {"value": "overridden"}}})
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, ended(t, a, id).Result.Status)

		save(`{"id":"inner","nodes":[],"connections":[]}`)
		require.NoError(t, a.Delete(t.Context(), "outer", workflow.Condition{}))
		c.set(c.failing)
		id, err = a.Resume(t.Context(), id, run.Resumption{})
		require.NoError(t, err)
		last := ended(t, a, id)
		require.Equal(t, "overridden", last.Result.Outputs["said"])
		require.Equal(t, []any{1, 2, 3}, last.Result.Nodes["call"].Outputs["all"])
		require.Equal(t, 1, c.count("item 2"))
	})
}

func TestResumeRefuses(t *testing.T) {
	inBubble(t, Config{}, func(t *testing.T, a *App) {
		id, err := a.StartJSON(t.Context(), asleep(60), run.Request{})
		require.NoError(t, err)
		_, err = a.Resume(t.Context(), id, run.Resumption{})
		require.ErrorIs(t, err, runs.ErrRunNotResumable, "it goes on")
		require.NoError(t, a.Cancel(t.Context(), id))
		ended(t, a, id)
		resumed, err := a.Resume(t.Context(), id, run.Resumption{})
		require.NoError(t, err)
		_, err = a.Resume(t.Context(), id, run.Resumption{})
		require.ErrorIs(t, err, runs.ErrRunNotResumable, "it is being resumed")
		require.NoError(t, a.Cancel(t.Context(), resumed))
		ended(t, a, resumed)
		for range runs.MaxAsync {
			_, err := a.StartJSON(t.Context(), asleep(60), run.Request{})
			require.NoError(t, err)
		}
		_, err = a.Resume(t.Context(), id, run.Resumption{})
		require.ErrorIs(t, err, runs.ErrRunLimit, "it takes a place")
	})
}

func TestRecovery(t *testing.T) {
	inBubbles(t, func(t *testing.T, open func() store.RunStore) {
		c, journals := newCounter(), open()
		c.set(c.waiting, "then 2")
		first := newTestApp(t, Config{Runs: journals, ExtraPlugins: []node.Plugin{c}})
		var ids []string
		for range runs.MaxAsync {
			id, err := first.StartJSON(t.Context(), []byte(counted), run.Request{IdempotencyKey: "k" + time.Now().String()})
			require.NoError(t, err)
			ids = append(ids, id)
			<-time.After(time.Second)
		}
		require.NoError(t, journals.Close()) // as a crash leaves it: no end is recorded
		c.set(c.waiting)

		second := newTestApp(t, Config{Runs: open(), ExtraPlugins: []node.Plugin{c}})
		last := ended(t, second, ids[0])
		require.Equal(t, node.CodeInterrupted, last.Error.Code)
		require.Equal(t, engine.StatusFailed, last.Result.Status)
		require.Equal(t, engine.StatusSucceeded, last.Result.Nodes["first"].Status)
		loop := last.Result.Nodes["loop"]
		require.Equal(t, engine.StatusFailed, loop.Status, "it was in flight")
		require.Equal(t, node.CodeInterrupted, loop.Error.Code)
		require.Equal(t, 1, loop.Attempts)
		require.Zero(t, last.Result.Duration, "up to the last event, not to the restart")
		require.Equal(t, engine.StatusCancelled, last.Result.Nodes["last"].Status)
		require.NotContains(t, last.Result.Nodes, "loop/0/count")
		require.NoError(t, second.Recover(t.Context()))
		page, err := second.Runs(t.Context(), run.Query{Status: engine.StatusRunning})
		require.NoError(t, err)
		require.Empty(t, page.Items)
		require.Zero(t, second.Stats())

		for _, id := range ids {
			resumed, err := second.Resume(t.Context(), id, run.Resumption{})
			require.NoError(t, err)
			require.Equal(t, engine.EventCompleted, ended(t, second, resumed).Name)
		}
		require.Equal(t, runs.MaxAsync, c.count("first"))
		require.Equal(t, runs.MaxAsync, c.count("item 2"))
		require.Equal(t, 2*runs.MaxAsync, c.count("then 2"), "it was in flight")
		require.NoError(t, second.Close(t.Context()))
		require.ErrorIs(t, first.Close(soon(t, 0)), fs.ErrClosed)
	})
}

// unreadable is a store of which one run cannot be read.
type unreadable struct {
	store.RunStore
	runID string
}

func (u *unreadable) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	if runID == u.runID {
		return nil, store.ErrRunDamaged
	}
	return u.RunStore.Frames(ctx, runID, after, maxBytes)
}

// A damaged journal costs its run, no other.
func TestRecoveryPassesOverDamage(t *testing.T) {
	runs := &memstore.Runs{}
	synctest.Test(t, func(t *testing.T) {
		first := newTestApp(t, Config{Runs: runs})
		bad, err := first.StartJSON(t.Context(), asleep(3600), run.Request{})
		require.NoError(t, err)
		good, err := first.StartJSON(t.Context(), asleep(3600), run.Request{})
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, runs.Close())

		second := newTestApp(t, Config{Runs: &unreadable{runs, bad}})
		require.ErrorIs(t, second.Recover(t.Context()), store.ErrRunDamaged)
		require.Equal(t, node.CodeInterrupted, ended(t, second, good).Error.Code)
		_, err = second.Follow(t.Context(), bad, 0)
		require.ErrorIs(t, err, store.ErrRunDamaged)
		_, err = second.StartJSON(t.Context(), asleep(1), run.Request{})
		require.NoError(t, err)
		require.NoError(t, second.Close(t.Context()))
		require.ErrorIs(t, first.Close(soon(t, 0)), fs.ErrClosed)
	})
}

// A node that was to be called again is, also if the run that was to do so has not come to it.
func TestWhatWasToBeCalledAgainStaysSo(t *testing.T) {
	c := newCounter()
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
		id, err := a.StartJSON(t.Context(), []byte(`{"id":"w","nodes":[
			{"id":"a","type":"test.count","config":{"label":"a"}},{"id":"b","type":"test.count","config":{"label":"b"}}],
			"connections":[{"fromNodeId":"a","fromPort":"$done","toNodeId":"b","toPort":"$after"}]}`), run.Request{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
		c.set(c.waiting, "a")
		again, err := a.Resume(t.Context(), id, run.Resumption{From: "a"})
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, a.Cancel(t.Context(), again))
		ended(t, a, again)
		c.set(c.waiting)
		last, err := a.Resume(t.Context(), again, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, a, last).Name)
		require.Equal(t, []int{3, 2}, []int{c.count("a"), c.count("b")})
	})
}
