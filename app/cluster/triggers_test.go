package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// patience is how long what has to happen may take on a slow machine.
const patience = time.Minute

// kept is what processes share.
type kept struct {
	workflows   store.WorkflowStore
	runs        store.SharedRuns
	activations store.ActivationStore
}

// TestTriggers has three processes let triggers fire that share their runs.
func TestTriggers(t *testing.T) {
	open := map[string]func(t *testing.T) func() kept{
		"memory": func(*testing.T) func() kept {
			k := kept{workflows: &memstore.Workflows{}}
			activations := &memstore.ActivationStore{}
			k.activations, k.runs = activations, &memstore.Shared{Activations: activations}
			return func() kept { return k }
		},
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		server := postgrestest.Start(t)
		testTriggers(t, func(t *testing.T) func() kept {
			database := server.Database()
			_, err := postgres.Migrate(t.Context(), database)
			require.NoError(t, err)
			return func() kept {
				s, err := postgres.Open(t.Context(), database)
				require.NoError(t, err)
				t.Cleanup(s.Close)
				runs, err := s.Runs(t.Context(), postgres.RunOptions{Patience: patience})
				require.NoError(t, err)
				return kept{s, runs, s.Activations()}
			}
		})
	})
	t.Run("memory", func(t *testing.T) { testTriggers(t, open["memory"]) })
}

func testTriggers(t *testing.T, shared func(t *testing.T) func() kept) {
	for name, test := range map[string]func(*testing.T, *members){
		"hooks": testHooks, "cancelled while it waits": testCancelledWaiting, "another one goes on": testLeaderFailover,
		"chains": testChains, "firings that do not fit": testUnfit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openMembers(t, shared(t)))
		})
	}
}

// members are processes that share what they keep.
type members struct {
	apps []*app.App
	kept kept
}

func openMembers(t *testing.T, open func() kept) *members {
	t.Helper()
	m := &members{kept: open()}
	for i := range 3 {
		k := open()
		a, err := app.New(app.Config{
			Store: k.workflows, Activations: k.activations, Triggers: true, ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})},
			Shared: func(env drive.Env) (runs.Backend, error) {
				return cluster.RunsOver(env, cluster.RunsConfig{Shared: k.runs, Name: fmt.Sprint("process", i), MaxRuns: 10}, newDirect), nil
			},
		})
		require.NoError(t, err)
		m.apps = append(m.apps, a)
		t.Cleanup(func() { assert.NoError(t, a.Close(context.Background())) })
	}
	return m
}

// arm saves and arms a workflow at process n.
func (m *members) arm(t *testing.T, n int, text string, how run.Arming) {
	t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = m.apps[n].Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	_, err = m.apps[n].Activate(t.Context(), def.ID, how)
	require.NoError(t, err)
}

// call calls a hook at process n.
func (m *members) call(t *testing.T, n int, path, body string) (app.HookOutcome, error) {
	t.Helper()
	hooks, params := m.apps[n].Hooks(t.Context(), path)
	require.Len(t, hooks, 1)
	return m.apps[n].CallHook(t.Context(), hooks[0], &node.HookCall{
		Method: "POST", Params: params[0], Header: map[string][]string{"Content-Type": {"text/plain"}}, Body: []byte(body), Remote: "192.0.2.1", Now: time.Now(),
	})
}

// runs returns the runs of a workflow, oldest first.
func (m *members) runs(t *testing.T, n int, workflowID string) (all []run.Record) {
	t.Helper()
	page, err := m.apps[n].Runs(t.Context(), run.Query{WorkflowID: workflowID, Limit: run.MaxLimit})
	require.NoError(t, err)
	slices.Reverse(page.Items)
	return page.Items
}

// ends waits until a workflow has a number of runs which have all ended in a status.
func (m *members) ends(t *testing.T, workflowID string, runs int, status engine.Status) (all []run.Record) {
	t.Helper()
	require.Eventually(t, func() bool {
		all = m.runs(t, 0, workflowID)
		return len(all) >= runs && !slices.ContainsFunc(all, func(r run.Record) bool { return r.Status != status })
	}, patience, 20*time.Millisecond, "the runs do not end")
	require.Len(t, all, runs)
	return all
}

const (
	respondsText = `{"id":"answering","nodes":[
		{"id":"hook","type":"trigger.webhook","config":{"path":"answering-0123456789abcdefghijk","auth":"none","respond":"node"}},
		{"id":"answer","type":"trigger.respond","config":{"status":201}}],
		"connections":[{"fromNodeId":"hook","fromPort":"raw","toNodeId":"answer","toPort":"body"}]}`
	accepting = `{"id":"accepting","nodes":[
		{"id":"hook","type":"trigger.webhook","config":{"path":"accepting-0123456789abcdefghijk","auth":"none","respond":"result"}},
		{"id":"out","type":"io.output","config":{"name":"said"}}],
		"connections":[{"fromNodeId":"hook","fromPort":"raw","toNodeId":"out","toPort":"value"}]}`
	slow = `{"id":"slow","nodes":[
		{"id":"hook","type":"trigger.webhook","config":{"path":"slow-0123456789abcdefghijklmn","auth":"none"}},
		{"id":"wait","type":"control.delay","config":{"ms":3600000}}],
		"connections":[{"fromNodeId":"hook","fromPort":"raw","toNodeId":"wait","toPort":"value"}]}`
)

// A hook is called at whichever process, and answered there, by what is driven elsewhere.
func testHooks(t *testing.T, m *members) {
	m.arm(t, 0, respondsText, run.Arming{})
	m.arm(t, 1, accepting, run.Arming{})
	const calls = 4
	for n := range m.apps {
		for i := range calls {
			said := fmt.Sprintf("secret-canary %d %d", n, i)
			out, err := m.call(t, n, "answering-0123456789abcdefghijk", said)
			require.NoError(t, err)
			require.NotNil(t, out.Reply, "%+v", out)
			require.Equal(t, 201, out.Reply.Status)
			require.Equal(t, said, string(out.Reply.Body))
			out, err = m.call(t, n, "accepting-0123456789abcdefghijk", said)
			require.NoError(t, err)
			require.Equal(t, map[string]any{"said": said}, out.Outcome.Outputs())
		}
	}
	m.ends(t, "answering", len(m.apps)*calls, engine.StatusCompleted)
	for n := range m.apps {
		active, err := m.apps[n].Activation(t.Context(), "accepting")
		require.NoError(t, err)
		require.Equal(t, "/hooks/accepting-0123456789abcdefghijk", active.Triggers[0].URL)
		require.ErrorIs(t, m.apps[n].Delete(t.Context(), "accepting", workflow.Condition{}), app.ErrActive)
	}
}

// Any process can cancel a queued run; it ends at once.
func testCancelledWaiting(t *testing.T, m *members) {
	m.arm(t, 0, slow, run.Arming{Concurrency: 1})
	for n := range 3 {
		_, err := m.call(t, n, "slow-0123456789abcdefghijklmn", "x")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return m.runs(t, 0, "slow")[0].Status == engine.StatusRunning }, patience, 20*time.Millisecond)
	all := m.runs(t, 1, "slow")
	for n, r := range []run.Record{all[1], all[0], all[2]} { // the second one never begins
		require.NoError(t, m.apps[n].Cancel(t.Context(), r.RunID))
	}
	for _, r := range m.ends(t, "slow", 3, engine.StatusCancelled) {
		for n := range m.apps {
			require.ErrorIs(t, m.apps[n].Cancel(t.Context(), r.RunID), runs.ErrRunEnded)
		}
	}
}

// When the leader stops, another process takes over: no time is lost, and none fires twice.
func testLeaderFailover(t *testing.T, m *members) {
	m.arm(t, 2, `{"id":"often","nodes":[
		{"id":"clock","type":"trigger.schedule","config":{"every":"1s","missed":"all"}},
		{"id":"out","type":"io.output","config":{"name":"at"}}],
		"connections":[{"fromNodeId":"clock","fromPort":"scheduled","toNodeId":"out","toPort":"value"}]}`, run.Arming{})
	last := len(m.apps) - 1
	for n := range last {
		before := len(m.runs(t, last, "often"))
		require.Eventually(t, func() bool { return len(m.runs(t, last, "often")) > before+1 }, patience, 20*time.Millisecond, "nobody goes on")
		require.NoError(t, m.apps[n].Close(t.Context()))
	}
	before := len(m.runs(t, last, "often"))
	require.Eventually(t, func() bool { return len(m.runs(t, last, "often")) > before }, patience, 20*time.Millisecond, "nobody goes on")
	require.NoError(t, m.apps[last].Deactivate(t.Context(), "often"))
	var times []time.Time
	for _, r := range m.runs(t, last, "often") {
		start, err := m.kept.runs.Start(t.Context(), r.RunID)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, start.Firing.Outputs["scheduled"].(string))
		require.NoError(t, err)
		times = append(times, at)
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := range times[1:] {
		require.Equal(t, time.Second, times[i+1].Sub(times[i]), "%v", times)
	}
}

// The end of a run starts another, once, wherever both were driven.
func testChains(t *testing.T, m *members) {
	m.arm(t, 0, accepting, run.Arming{})
	m.arm(t, 1, `{"id":"behind","nodes":[
		{"id":"end","type":"trigger.finished","config":{"workflowId":"accepting"}},
		{"id":"out","type":"io.output","config":{"name":"of"}}],
		"connections":[{"fromNodeId":"end","fromPort":"runId","toNodeId":"out","toPort":"value"}]}`, run.Arming{})
	m.ends(t, "behind", 0, engine.StatusCompleted)
	var want, got []string
	for n := range 6 {
		if n == 3 {
			m.ends(t, "behind", 3, engine.StatusCompleted)
			m.kept.depose(t)
		}
		out, err := m.call(t, n%3, "accepting-0123456789abcdefghijk", "x")
		require.NoError(t, err)
		want = append(want, out.RunID)
	}
	for _, r := range m.ends(t, "behind", len(want), engine.StatusCompleted) {
		start, err := m.kept.runs.Start(t.Context(), r.RunID)
		require.NoError(t, err)
		require.Equal(t, 1, r.StartedBy.Chain)
		got = append(got, start.Firing.Outputs["runId"].(string))
	}
	require.ElementsMatch(t, want, got)
}

// depose makes the leader count as dead, if the store can do that.
func (k kept) depose(t *testing.T) {
	t.Helper()
	if a, ok := k.activations.(*memstore.ActivationStore); ok {
		a.Depose()
	}
}

// A run that was enqueued for another revision ends as failed.
func testUnfit(t *testing.T, m *members) {
	m.arm(t, 0, accepting, run.Arming{})
	def, err := workflow.Decode([]byte(accepting), workflow.DefaultLimits())
	require.NoError(t, err)
	id, err := uuid.NewV7()
	require.NoError(t, err)
	require.NoError(t, m.kept.runs.Begin(t.Context(), run.Start{
		RunID: id.String(), StartedAt: time.Now().UTC(), Definition: def, Firing: &engine.Firing{Node: "hook", Outputs: map[string]any{"raw": 7}},
		StartedBy: &run.StartedBy{Trigger: "hook", Type: "trigger.webhook"},
	}, store.SharedLimits{}))
	m.ends(t, "accepting", 1, engine.StatusFailed)
	ended, err := m.apps[2].Run(t.Context(), id.String())
	require.NoError(t, err)
	require.Equal(t, engine.CodeTypeError, ended.Result.Error.Code)
}
