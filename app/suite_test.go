package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/apptest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/runlog"
)

// TestRuns passes the suite of those who keep and drive runs in one process.
func TestRuns(t *testing.T) {
	stores := map[string]func(t *testing.T) store.RunStore{
		"memory": func(*testing.T) store.RunStore { return &memstore.Runs{} },
		"files": func(t *testing.T) store.RunStore {
			runs, err := runlog.Open(t.TempDir(), runlog.Options{})
			require.NoError(t, err)
			return runs
		},
	}
	for name, runs := range stores {
		t.Run(name, func(t *testing.T) {
			apptest.Runs(t, func(t *testing.T, p node.Plugin) []*app.App {
				a, err := app.New(app.Config{Runs: runs(t), ExtraPlugins: []node.Plugin{p}})
				require.NoError(t, err)
				t.Cleanup(func() { assert.NoError(t, a.Close(t.Context())) })
				return []*app.App{a}
			})
		})
	}
}
