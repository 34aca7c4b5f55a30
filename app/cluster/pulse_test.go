package cluster_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// figure returns what runs tell of a name and its label.
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
	var runs *cluster.Runs
	a, err := app.New(app.Config{Shared: func(env drive.Env) (app.Runs, error) {
		runs = cluster.RunsOver(env, cluster.RunsConfig{Shared: &store.MemoryShared{}, Name: "p"}, newDirect)
		return runs, nil
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
	require.InDelta(t, 1, figure(t, runs, "svc_cluster_takes_total", "first"), 0)
	require.InDelta(t, 0, figure(t, runs, "svc_cluster_takes_total", "again"), 0)
	require.Eventually(t, func() bool { // the last commit is counted once it is shown
		return figure(t, runs, "svc_cluster_commits_total", "made") >= 1 && figure(t, runs, "svc_cluster_runs_driven", "") == 0
	}, time.Minute, 10*time.Millisecond)
	require.InDelta(t, 0, figure(t, runs, "svc_cluster_commits_total", "refused"), 0)
}
