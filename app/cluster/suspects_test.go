package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

var errDead = errors.New("the process is dead")

// mortal are shared runs as a process sees them that can die.
type mortal struct {
	store.SharedRuns

	dead atomic.Bool
}

func (m *mortal) alive() error {
	if m.dead.Load() {
		return errDead
	}
	return nil
}

func (m *mortal) Renew(ctx context.Context, driver string) error {
	if err := m.alive(); err != nil {
		return err
	}
	return m.SharedRuns.Renew(ctx, driver)
}

func (m *mortal) Retire(ctx context.Context, driver string) error {
	if err := m.alive(); err != nil {
		return err
	}
	return m.SharedRuns.Retire(ctx, driver)
}

func (m *mortal) ReleaseAllExcept(ctx context.Context, driver string, but []string) error {
	if err := m.alive(); err != nil {
		return err
	}
	return m.SharedRuns.ReleaseAllExcept(ctx, driver, but)
}

func (m *mortal) Take(ctx context.Context, runID, driver string) (store.Taken, error) {
	if err := m.alive(); err != nil {
		return store.Taken{}, err
	}
	taken, err := m.SharedRuns.Take(ctx, runID, driver)
	taken.SharedJournal = &mortalJournal{taken.SharedJournal, m}
	return taken, err
}

type mortalJournal struct {
	store.SharedJournal
	of *mortal
}

func (j *mortalJournal) Append(ctx context.Context, frames ...run.Frame) error {
	if err := j.of.alive(); err != nil {
		return err
	}
	return j.SharedJournal.Append(ctx, frames...)
}

func (j *mortalJournal) Leave(ctx context.Context, until time.Time) error {
	if err := j.of.alive(); err != nil {
		return err
	}
	return j.SharedJournal.Leave(ctx, until)
}

// gang are workers, each of whom is replaced when it dies.
type gang struct {
	many

	t       *testing.T
	workers []*hand
	deaths  int
	driving sync.WaitGroup
	bad     map[string]time.Duration // runs that end their worker, and how long that takes
	long    time.Duration            // how long the other ones take

	mu     sync.Mutex
	ended  map[string]string // codes of runs that were ended without being played
	played map[string]bool   // runs that have come to their end
}

// hand is one of them. It plays runs.
type hand struct {
	*gang
	*cluster.Holder

	runs mortal
	die  context.CancelFunc
	life context.Context //nolint:containedctx // of the process
}

func newGang(t *testing.T, workers int) *gang {
	t.Helper()
	c := &gang{t: t, bad: map[string]time.Duration{}, ended: map[string]string{}, played: map[string]bool{}}
	for range workers {
		c.workers = append(c.workers, c.hire(fmt.Sprint("worker", len(c.workers))))
	}
	return c
}

func (c *gang) hire(name string) *hand {
	w := &hand{gang: c}
	w.runs.SharedRuns = &c.many
	w.life, w.die = context.WithCancel(c.t.Context())
	w.Holder = holder(c.t, &w.runs, name, w)
	return w
}

// Play implements [cluster.Player].
func (w *hand) Play(ctx context.Context, h cluster.Held) error {
	takes, bad := w.bad[h.RunID]
	if !bad {
		takes = w.long
	}
	if err := node.Sleep(ctx, takes); err != nil {
		return context.Cause(ctx)
	}
	if bad {
		w.runs.dead.Store(true)
		w.die()
		return errDead
	}
	err := finish(ctx, h)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.played[h.RunID] = err == nil
	return err
}

// End implements [cluster.Player].
func (w *hand) End(ctx context.Context, h cluster.Held, failure *node.Error) error {
	w.mu.Lock()
	w.ended[h.RunID] = failure.Code
	w.mu.Unlock()
	return finish(ctx, h)
}

// work has all runs driven until they have ended, as Temporal does, and replaces who dies.
func (c *gang) work(within time.Duration) {
	c.t.Helper()
	ctx, deadline := c.t.Context(), time.Now().Add(within)
	for turn := 0; ; turn++ {
		require.True(c.t, time.Now().Before(deadline), "runs have ended: %v %v", c.ended, c.played)
		<-time.After(time.Second)
		for i, w := range c.workers {
			if w.runs.dead.Load() {
				c.deaths++
				_ = w.Close(ctx) // of what does not live any more
				c.workers[i] = c.hire(fmt.Sprint("worker", len(c.workers)+c.deaths))
			}
		}
		ids, err := c.Unfinished(ctx, 1000)
		require.NoError(c.t, err)
		for i, id := range ids {
			w := c.workers[(turn+i)%len(c.workers)]
			c.driving.Go(func() { _ = w.Drive(w.life, id) })
		}
		synctest.Wait()
		if c.goingOn() == 0 {
			break
		}
	}
	c.driving.Wait()
	for _, w := range c.workers {
		require.NoError(c.t, w.Close(ctx))
	}
}

// goingOn returns how many runs have not ended.
func (c *gang) goingOn() (n int) {
	c.t.Helper()
	page, err := c.Records(c.t.Context(), run.Query{})
	require.NoError(c.t, err)
	for i := range page.Items {
		if page.Items[i].Status.GoesOn() {
			n++
		}
	}
	return n
}

// A run that kills its workers is ended after five takes. Runs beside it survive, even if they
// stay in one node, which makes them look the same.
func TestRunsBesideABadRunSurvive(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, takes := range []time.Duration{0, 2 * time.Second, time.Minute} {
			t.Run(fmt.Sprintf("%d workers, ended after %s", workers, takes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newGang(t, workers)
					c.long = 20 * time.Minute
					var good []string
					for range 4 {
						good = append(good, c.begun(t))
					}
					bad := c.begun(t)
					c.bad[bad] = takes
					for range 4 {
						good = append(good, c.begun(t))
					}
					c.work(24 * time.Hour)
					require.Equal(t, map[string]string{bad: node.CodeInterrupted}, c.ended)
					require.Equal(t, 5, c.deaths)
					for _, id := range good {
						require.True(t, c.played[id])
					}
				})
			})
		}
	}
}

// Suspects that get on are none any more, and keep nobody from being played.
func TestASuspectThatGetsOnMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		ids := []string{runs.begun(t), runs.begun(t)}
		for n := range 2 {
			name := fmt.Sprint("worker", n)
			require.NoError(t, runs.Renew(t.Context(), name))
			for _, id := range ids {
				_, err := runs.Take(t.Context(), id, name)
				require.NoError(t, err)
			}
			<-time.After(store.LeaseLife + time.Second)
		}
		var at sync.Map
		h := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error {
			at.Store(h.RunID, true)
			<-time.After(time.Minute)
			if err := h.Journal.Append(ctx, step(h)); err != nil {
				return err
			}
			<-time.After(time.Hour)
			return h.Journal.Append(ctx, last(h, 2))
		}})
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		var driving sync.WaitGroup
		driving.Go(func() { require.NoError(t, h.Drive(t.Context(), ids[0])) })
		synctest.Wait()
		require.Error(t, h.Drive(t.Context(), ids[1]), "it waits")
		_, played := at.Load(ids[1])
		require.False(t, played)
		<-time.After(2 * time.Minute)
		driving.Go(func() { require.NoError(t, h.Drive(t.Context(), ids[1])) })
		synctest.Wait()
		_, played = at.Load(ids[1])
		require.True(t, played)
		driving.Wait()
	})
}
