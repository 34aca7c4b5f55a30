package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

func TestAFiringIsARunThatWaits(t *testing.T) {
	inBubbles(t, func(t *testing.T, open func() store.RunStore) {
		c := newCounter()
		workflows, kept := &memstore.Workflows{}, &memstore.ActivationStore{}
		a := openArmed(t, c, workflows, open(), kept)
		_, err := a.Save(t.Context(), parse(t, hourly), workflow.Condition{})
		require.NoError(t, err)
		_, err = a.Activate(t.Context(), "hourly", run.Arming{})
		require.NoError(t, err)
		_, err = a.LastFiring(t.Context(), "hourly", "clock")
		require.ErrorIs(t, err, ErrNeverFired)
		for range runs.MaxAsync {
			_, err := a.StartJSON(t.Context(), asleep(4*3600), run.Request{})
			require.NoError(t, err)
		}
		<-time.After(3*time.Hour + time.Second)
		synctest.Wait()
		waiting := runsIn(t, a, engine.StatusWaiting)
		require.Len(t, waiting, 3)
		newest, middle, oldest := waiting[0], waiting[1], waiting[2]
		require.Equal(t, &run.StartedBy{Trigger: "clock", Type: "trigger.schedule"}, oldest.StartedBy)
		shown, err := a.Run(t.Context(), oldest.RunID)
		require.NoError(t, err)
		require.Nil(t, shown.Result)
		last, err := a.LastFiring(t.Context(), "hourly", "clock")
		require.NoError(t, err)
		require.Equal(t, newest.RunID, last.RunID)
		require.Equal(t, "2000-01-01T03:00:00.000Z", last.Outputs["scheduled"])
		_, err = a.Resume(t.Context(), oldest.RunID, run.Resumption{})
		require.ErrorIs(t, err, runs.ErrRunNotResumable)
		require.ErrorIs(t, a.DeleteRun(t.Context(), oldest.RunID), store.ErrRunRunning)

		// Dropping it is cancelling it.
		require.NoError(t, a.Cancel(t.Context(), middle.RunID))
		require.ErrorIs(t, a.Cancel(t.Context(), middle.RunID), runs.ErrRunEnded)
		require.Equal(t, engine.StatusCancelled, ended(t, a, middle.RunID).Result.Status)
		armed, err := a.Triggers(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, armed[0].Waiting)

		// Another process lets it wait on, and then run.
		told := make(chan []engine.Event)
		require.NoError(t, a.Close(soon(t, 0)))
		a = openArmed(t, c, workflows, open(), kept)
		go func() { told <- everything(t, a, oldest.RunID, 0) }()
		<-time.After(time.Second)
		require.NotEmpty(t, <-told, "its followers see it begin")
		synctest.Wait()
		require.Empty(t, runsIn(t, a, engine.StatusWaiting))
		done, err := a.Run(t.Context(), oldest.RunID)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"said": "2000-01-01T01:00:00.000Z"}, done.Result.Outputs)
		require.Equal(t, oldest.StartedBy, done.StartedBy)
		require.Equal(t, 1, c.count("came 2000-01-01T01:00:00.000Z"))
		require.Equal(t, 0, c.count("came 2000-01-01T02:00:00.000Z"))
		require.NoError(t, a.Close(t.Context()))
	})
}

// runsIn returns the runs in a state, newest first.
func runsIn(t *testing.T, a *App, status engine.Status) []run.Record {
	t.Helper()
	page, err := a.Runs(t.Context(), run.Query{Status: status})
	require.NoError(t, err)
	return page.Items
}

func TestAFiringThatFitsNoMoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		workflows, runs, kept := &memstore.Workflows{}, &memstore.Runs{}, &memstore.ActivationStore{}
		a := openArmed(t, newCounter(), workflows, runs, kept)
		_, err := a.Save(t.Context(), parse(t, hourly), workflow.Condition{})
		require.NoError(t, err)
		_, err = a.Activate(t.Context(), "hourly", run.Arming{})
		require.NoError(t, err)
		require.NoError(t, a.Close(t.Context()))
		start := run.Start{
			RunID: "misfit", StartedAt: time.Now(), Definition: parse(t, hourly), StartedBy: &run.StartedBy{Trigger: "clock", Type: "trigger.schedule"},
			Firing: &engine.Firing{Node: "clock", Outputs: map[string]any{"scheduled": 1}},
		}
		_, err = runs.Create(t.Context(), start)
		require.NoError(t, err)
		require.NoError(t, runs.Close())
		a = openArmed(t, newCounter(), workflows, runs, kept)
		end := ended(t, a, "misfit")
		require.Equal(t, engine.StatusFailed, end.Result.Status)
		require.Equal(t, engine.CodeTypeError, end.Result.Error.Code)
		require.Equal(t, "clock", end.Result.Error.NodeID)
		require.NoError(t, a.Close(t.Context()))
	})
}
