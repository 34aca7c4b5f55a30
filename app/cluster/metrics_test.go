package cluster_test

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// figure returns the value of a metric with a label.
func figure(t *testing.T, r *cluster.Runs, name, is string) float64 {
	t.Helper()
	for _, f := range r.Figures() {
		if f.Name == name && f.Is == is {
			return f.Value
		}
	}
	t.Fatalf("there is no figure %s %s", name, is)
	return 0
}

func TestFiguresCountWhatAProcessDoes(t *testing.T) {
	var backend *cluster.Runs
	a, err := app.New(app.Config{Shared: func(env drive.Env) (runs.Backend, error) {
		backend = cluster.RunsOver(env, cluster.RunsConfig{Shared: &memstore.Shared{}, Name: "p"}, newDirect)
		return backend, nil
	}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, a.Close(context.Background())) }()
	def := &workflow.Definition{ID: "w", Name: "W", Nodes: []workflow.Node{{ID: "a", Type: "text.format", Config: map[string]any{"template": "x"}}}}
	id, err := a.Start(t.Context(), def, run.Request{})
	require.NoError(t, err)
	f, err := a.Follow(t.Context(), id, 0)
	require.NoError(t, err)
	for !errors.Is(err, io.EOF) {
		require.NoError(t, err)
		_, err = f.Next(t.Context())
	}
	require.InDelta(t, 1, figure(t, backend, "svc_cluster_takes_total", "first"), 0)
	require.InDelta(t, 0, figure(t, backend, "svc_cluster_takes_total", "again"), 0)
	require.Eventually(t, func() bool { // the last commit is counted once it is shown
		return figure(t, backend, "svc_cluster_commits_total", "made") >= 1 && figure(t, backend, "svc_cluster_runs_driven", "") == 0
	}, time.Minute, 10*time.Millisecond)
	require.InDelta(t, 0, figure(t, backend, "svc_cluster_commits_total", "refused"), 0)
}

// undriven has runs driven by nobody, until somebody asks its driver.
type undriven struct{ cluster.Driver }

func (undriven) Offer(cluster.Begun)                {}
func (undriven) Wake(context.Context, string) error { return nil }
func (undriven) Close()                             {}

func TestLostAttemptsAreCounted(t *testing.T) {
	var backend *cluster.Runs
	var driver cluster.Driver
	shared := &memstore.Shared{}
	a, err := app.New(app.Config{Shared: func(env drive.Env) (runs.Backend, error) {
		backend = cluster.RunsOver(env, cluster.RunsConfig{Shared: shared, Name: "p"}, func(d cluster.Driver) cluster.Tasks {
			driver = d
			return undriven{d}
		})
		return backend, nil
	}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, a.Close(context.Background())) }()
	take := func(id string) store.Taken {
		taken, err := shared.Take(t.Context(), id, "another one")
		require.NoError(t, err)
		var encoder run.Encoder
		for i, e := range []engine.Event{{WorkflowID: "w"}, {NodeID: "a"}} {
			e.Name, e.RunID, e.Seq, e.Time = engine.EventStarted, id, i+1, time.Now().UTC()
			frame, _ := encoder.Frame(&e)
			require.NoError(t, taken.Append(t.Context(), frame))
		}
		return taken
	}
	const waits = `{"id":"w","nodes":[{"id":"a","type":"control.delay","config":{"ms":0}}],"connections":[]}`
	for _, c := range []struct {
		left bool
		lost float64
	}{{true, 0}, {false, 1}} {
		id, err := a.StartJSON(t.Context(), []byte(waits), run.Request{})
		require.NoError(t, err)
		if taken := take(id); c.left {
			require.NoError(t, taken.Leave(t.Context(), time.Time{}))
		}
		require.NoError(t, driver.Drive(t.Context(), id))
		require.InDelta(t, c.lost, figure(t, backend, "svc_cluster_lost_attempts_total", ""), 0)
	}
}

// The table of metrics on the page is complete and has no others.
func TestEveryMetricIsDocumented(t *testing.T) {
	var backend *cluster.Runs
	place, err := cluster.ParsePlacement("control.delay=slow")
	require.NoError(t, err)
	a, err := app.New(app.Config{Shared: func(env drive.Env) (runs.Backend, error) {
		backend = cluster.RunsOver(env, cluster.RunsConfig{Shared: &memstore.Shared{}, Name: "p", Place: place}, newDirect)
		return backend, nil
	}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, a.Close(context.Background())) }()
	require.InDelta(t, 0, figure(t, backend, "svc_cluster_calls_total", "slow"), 0)
	page, err := os.ReadFile("../../docs/cluster.md")
	require.NoError(t, err)
	told := map[string]bool{"svc_cluster_answers_total": true} // of those who answer queues
	for _, f := range backend.Figures() {
		told[f.Name] = true
		require.Contains(t, string(page), "`"+f.Name)
	}
	for _, name := range regexp.MustCompile(`svc_cluster_[a-z_]+`).FindAllString(string(page), -1) {
		require.Contains(t, told, name)
	}
}
