package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// hourly counts each hour, and is slow if that is set.
const hourly = `{"id":"hourly","nodes":[
	{"id":"clock","type":"trigger.schedule","config":{"every":"1h"}},
	{"id":"count","type":"test.count","config":{"label":"came"}},
	{"id":"out","type":"io.output","config":{"name":"said"}}],
	"connections":[{"fromNodeId":"clock","fromPort":"scheduled","toNodeId":"count","toPort":"item"},
		{"fromNodeId":"count","fromPort":"item","toNodeId":"out","toPort":"value"}]}`

// openArmed opens an App whose triggers fire, on stores that outlive it.
func openArmed(t *testing.T, c *counter, workflows store.WorkflowStore, runs store.RunStore, kept store.ActivationStore) *App {
	t.Helper()
	a := newTestApp(t, Config{Triggers: true, Store: workflows, Runs: runs, Activations: kept, ExtraPlugins: []node.Plugin{c, trigger.Plugin(trigger.Config{})}})
	synctest.Wait()
	return a
}

func TestActiveWorkflowsStartThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCounter()
		workflows, runs, kept := &memstore.Workflows{}, &memstore.Runs{}, &memstore.ActivationStore{}
		a := openArmed(t, c, workflows, runs, kept)
		_, err := a.Save(t.Context(), parse(t, hourly), workflow.Condition{})
		require.NoError(t, err)
		<-time.After(2 * time.Hour)
		synctest.Wait()
		page, err := a.Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Empty(t, page.Items, "saving arms nothing")

		activation, err := a.Activate(t.Context(), "hourly", run.Arming{})
		require.NoError(t, err)
		require.Equal(t, run.Resume, activation.OnInterrupted)
		require.ErrorIs(t, a.Delete(t.Context(), "hourly", workflow.Condition{}), ErrActive)
		_, err = a.Save(t.Context(), says(t, "hourly", "changed"), workflow.Condition{})
		require.NoError(t, err)
		c.set(c.waiting, "came 2000-01-01T04:00:00.000Z")
		<-time.After(2*time.Hour + time.Second)
		synctest.Wait()
		page, err = a.Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 2)
		require.Equal(t, engine.StatusRunning, page.Items[0].Status)
		done, err := a.Run(t.Context(), page.Items[1].RunID)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"said": "2000-01-01T03:00:00.000Z"}, done.Result.Outputs, "as it was when it was armed")
		next, err := a.Triggers(t.Context())
		require.NoError(t, err)
		require.Equal(t, "hourly", next[0].WorkflowID)
		require.Equal(t, engine.StatusRunning, next[0].LastStatus)
		require.Equal(t, next[0].Next, next[0].Upcoming[0])
		require.Len(t, next[0].Upcoming, 3)
		require.Equal(t, 2*time.Hour, next[0].Upcoming[2].Sub(next[0].Next))
		require.Equal(t, page.Items[0].RunID, next[0].LastRunID)

		// An interrupted run is resumed automatically.
		stopped := closeAtOnce(t, a)
		c.set(c.waiting)
		a = openArmed(t, c, workflows, runs, kept)
		<-time.After(time.Second)
		synctest.Wait()
		page, err = a.Runs(t.Context(), run.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 3)
		require.Equal(t, stopped, page.Items[0].ResumedFrom)
		require.Equal(t, engine.StatusCompleted, page.Items[0].Status)
		require.NoError(t, a.Deactivate(t.Context(), "hourly"))
		require.NoError(t, a.Delete(t.Context(), "hourly", workflow.Condition{}))
		require.NoError(t, a.Close(t.Context()))
	})
}

// closeAtOnce closes an App at once and returns the last run that it had begun.
func closeAtOnce(t *testing.T, a *App) string {
	t.Helper()
	page, err := a.Runs(t.Context(), run.Query{})
	require.NoError(t, err)
	require.NoError(t, a.Close(soon(t, 0)))
	return page.Items[0].RunID
}

func TestWhatCannotBeArmed(t *testing.T) {
	a := newTestApp(t, Config{Triggers: true, ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})}})
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	save := func(def *workflow.Definition) {
		_, err := a.Save(t.Context(), def, workflow.Condition{})
		require.NoError(t, err)
	}
	_, err := a.Activate(t.Context(), "none", run.Arming{})
	require.ErrorIs(t, err, workflow.ErrNotFound)
	save(says(t, "w", "x"))
	_, err = a.Activate(t.Context(), "w", run.Arming{})
	require.Equal(t, []string{engine.CodeUnknownTrigger}, codes(t, err))
	save(parse(t, `{"id":"w","nodes":[{"id":"t","type":"trigger.manual"}],"connections":[]}`))
	_, err = a.Activate(t.Context(), "w", run.Arming{})
	require.Equal(t, []string{engine.CodeUnknownTrigger}, codes(t, err), "it never fires by itself")
	save(parse(t, `{"id":"w","nodes":[{"id":"t","type":"trigger.schedule","config":{"cron":"0 0 31 2 *"}}],"connections":[]}`))
	_, err = a.Activate(t.Context(), "w", run.Arming{})
	require.Equal(t, []string{engine.CodeInvalidConfig}, codes(t, err))
	save(parse(t, `{"id":"w","nodes":[{"id":"t","type":"trigger.schedule","config":{"every":"1h"}},
		{"id":"in","type":"io.input","config":{"name":"who","required":true}}],"connections":[]}`))
	_, err = a.Activate(t.Context(), "w", run.Arming{})
	require.Equal(t, []string{engine.CodeMissingInput}, codes(t, err), "nobody gives a trigger's run inputs")

	off := newTestApp(t, Config{})
	_, err = off.Activate(t.Context(), "w", run.Arming{})
	require.ErrorIs(t, err, ErrNoTriggers)
}
