package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/apptest"
	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestRuns passes the suite of those who keep and drive runs, with three processes that share
// them.
func TestRuns(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		apptest.Runs(t, func(t *testing.T, p node.Plugin) []*app.App {
			shared := &memstore.Shared{}
			return processes(t, p, func() store.SharedRuns { return shared })
		})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		server := postgrestest.Start(t)
		apptest.Runs(t, func(t *testing.T, p node.Plugin) []*app.App {
			database := server.Database()
			_, err := postgres.Migrate(t.Context(), database)
			require.NoError(t, err)
			return processes(t, p, func() store.SharedRuns {
				kept, err := postgres.Open(t.Context(), database)
				require.NoError(t, err)
				t.Cleanup(kept.Close)
				runs, err := kept.Runs(t.Context(), postgres.RunOptions{Patience: time.Minute})
				require.NoError(t, err)
				return runs
			})
		})
	})
}

// processes returns what three processes have that share their runs.
func processes(t *testing.T, p node.Plugin, open func() store.SharedRuns) []*app.App {
	t.Helper()
	apps := make([]*app.App, 3)
	for i := range apps {
		shared := open()
		a, err := app.New(app.Config{ExtraPlugins: []node.Plugin{p}, Shared: func(env drive.Env) (runs.Backend, error) {
			return cluster.RunsOver(env, cluster.RunsConfig{Shared: shared, Name: fmt.Sprint("process", i), MaxRuns: runs.MaxAsync}, newDirect), nil
		}})
		require.NoError(t, err)
		apps[i] = a
		t.Cleanup(func() { assert.NoError(t, a.Close(context.Background())) })
	}
	return apps
}

// direct has the runs driven here that begin here, without Temporal.
type direct struct {
	driver  cluster.Driver
	leave   context.CancelCauseFunc
	life    context.Context
	driving sync.WaitGroup
}

func newDirect(d cluster.Driver) cluster.Tasks {
	life, leave := context.WithCancelCause(context.Background())
	return &direct{driver: d, leave: leave, life: life}
}

func (d *direct) Offer(b cluster.Begun) {
	d.driving.Go(func() {
		for d.life.Err() == nil {
			err := d.driver.Drive(d.life, b.RunID)
			if err == nil {
				return
			}
			pause := 10 * time.Millisecond
			if parked, ok := errors.AsType[*engine.Parked](err); ok {
				pause = time.Until(parked.Until)
			}
			_ = node.Sleep(d.life, pause) // at its end there is nothing left to do
		}
	})
}

func (*direct) Wake(context.Context, string) error { return nil }

func (d *direct) Close() {
	d.leave(engine.ErrHandedOff)
	d.driving.Wait()
}
