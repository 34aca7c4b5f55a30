package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/storetest"
)

// plays is a player that does what a test wants.
type plays struct {
	play func(ctx context.Context, h cluster.Held) error

	mu    sync.Mutex
	ended []string // codes of what runs were ended with
}

func (p *plays) Play(ctx context.Context, h cluster.Held) error { return p.play(ctx, h) }

func (p *plays) End(ctx context.Context, h cluster.Held, failure *node.Error) error {
	p.mu.Lock()
	p.ended = append(p.ended, failure.Code)
	p.mu.Unlock()
	return finish(ctx, h)
}

// finish writes the last frame of a run.
func finish(ctx context.Context, h cluster.Held) error {
	return h.Journal.Append(ctx, last(h, h.Frames+1))
}

// step is the first frame of a run: that a node has ended.
func step(h cluster.Held) run.Frame {
	var e run.Encoder
	kept, _ := e.Frame(&engine.Event{Seq: 1, Name: engine.EventNode, RunID: h.RunID, NodeID: "a", Status: engine.StatusSucceeded, Time: time.Now().UTC()})
	return kept
}

func last(h cluster.Held, seq int) run.Frame {
	now := time.Now().UTC().Truncate(time.Microsecond)
	if now.Before(h.Last) {
		now = h.Last
	}
	result := &engine.Result{RunID: h.RunID, WorkflowID: "w", Status: engine.StatusCompleted, StartedAt: now, FinishedAt: now}
	var e run.Encoder
	kept, _ := e.Frame(&engine.Event{Seq: seq, Name: engine.EventCompleted, RunID: h.RunID, Time: now, Result: result})
	return kept
}

// many are runs that several processes share, and that can be away.
type many struct {
	memstore.Shared

	away    atomic.Bool
	spoilt  atomic.Pointer[string] // what of runs cannot be read: starts, or frames
	changes atomic.Int32
}

// Start implements [store.SharedRuns].
func (m *many) Start(ctx context.Context, runID string) (run.Start, error) {
	if what := m.spoilt.Load(); what != nil && *what == "starts" {
		return run.Start{}, store.ErrRunDamaged
	}
	return m.Shared.Start(ctx, runID)
}

// Frames implements [store.SharedRuns].
func (m *many) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	if what := m.spoilt.Load(); what != nil && *what == "frames" {
		return nil, store.ErrRunDamaged
	}
	return m.Shared.Frames(ctx, runID, after, maxBytes)
}

var errAway = fmt.Errorf("%w: the server is down", store.ErrUnavailable)

func (m *many) Take(ctx context.Context, runID, driver string) (store.Taken, error) {
	if m.away.Load() {
		return store.Taken{}, errAway
	}
	taken, err := m.Shared.Take(ctx, runID, driver)
	if err == nil {
		taken.SharedJournal = &awayJournal{taken.SharedJournal, m}
	}
	return taken, err
}

func (m *many) Renew(ctx context.Context, driver string) error {
	if m.away.Load() {
		return errAway
	}
	return m.Shared.Renew(ctx, driver)
}

func (m *many) ReleaseAllExcept(ctx context.Context, driver string, but []string) error {
	if m.away.Load() {
		return errAway
	}
	return m.Shared.ReleaseAllExcept(ctx, driver, but)
}

func (m *many) Changes(ctx context.Context, runIDs []string) ([]store.Change, error) {
	m.changes.Add(1)
	if m.away.Load() {
		return nil, errAway
	}
	return m.Shared.Changes(ctx, runIDs)
}

type awayJournal struct {
	store.SharedJournal
	runs *many
}

func (j *awayJournal) Append(ctx context.Context, frames ...run.Frame) error {
	if j.runs.away.Load() {
		return errAway
	}
	return j.SharedJournal.Append(ctx, frames...)
}

// begun returns a run that has begun.
func (m *many) begun(t *testing.T) string {
	t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	start := run.Start{RunID: id, StartedAt: time.Now().UTC().Truncate(time.Microsecond), Definition: storetest.Definition("w", "W")}
	start.Document = run.NewDocument(start.Definition, nil)
	require.NoError(t, m.Begin(t.Context(), start, store.SharedLimits{}))
	return id
}

func holder(t *testing.T, runs store.SharedRuns, name string, p cluster.Player) *cluster.Holder {
	t.Helper()
	return cluster.NewHolder(cluster.HolderConfig{Runs: runs, Player: p, Name: name, Log: slog.New(slog.DiscardHandler)})
}

func TestARunIsPlayedToItsEndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, played := &many{}, 0
		h := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error { played++; return finish(ctx, h) }})
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		id := runs.begun(t)
		require.NoError(t, h.Drive(t.Context(), id))
		require.NoError(t, h.Drive(t.Context(), id), "it has ended")
		require.NoError(t, h.Drive(t.Context(), uuid.NewString()), "nobody knows it")
		require.Equal(t, 1, played)
	})
}

func TestADriverThatLivesKeepsItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		goOn, other := make(chan struct{}), 0
		a := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error { <-goOn; return finish(ctx, h) }})
		b := holder(t, runs, "b", &plays{play: func(context.Context, cluster.Held) error { other++; return nil }})
		defer func() { require.NoError(t, errors.Join(a.Close(t.Context()), b.Close(t.Context()))) }()
		id := runs.begun(t)
		var driving sync.WaitGroup
		driving.Go(func() { require.NoError(t, a.Drive(t.Context(), id)) })
		synctest.Wait()
		driving.Go(func() { require.NoError(t, b.Drive(t.Context(), id)) })
		<-time.After(10 * time.Minute) // Temporal has lost sight of the first
		close(goOn)
		driving.Wait()
		require.Zero(t, other)
	})
}

func TestWhoHasLostItsRunWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		lost := make(chan error, 1)
		a := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error {
			<-ctx.Done() // its nodes are stopped
			lost <- finish(ctx, h)
			return context.Cause(ctx)
		}})
		defer func() { require.NoError(t, a.Close(t.Context())) }()
		id := runs.begun(t)
		driven := make(chan error, 1)
		go func() { driven <- a.Drive(t.Context(), id) }()
		synctest.Wait()
		require.NoError(t, runs.Retire(t.Context(), "a")) // it seems to be gone
		taken, err := runs.Take(t.Context(), id, "b")
		require.NoError(t, err)
		since := time.Now()
		require.ErrorIs(t, <-lost, store.ErrRunTaken)
		require.Less(t, time.Since(since), 2*time.Second)
		require.ErrorIs(t, <-driven, store.ErrRunTaken)
		require.NoError(t, finish(t.Context(), cluster.Held{RunID: id, Journal: taken}))
	})
}

func TestWhatHasHappenedIsHeldWhileTheStoreIsAway(t *testing.T) {
	for _, c := range []struct {
		away time.Duration
		want error
	}{{50 * time.Second, nil}, {10 * time.Minute, store.ErrUnavailable}} {
		synctest.Test(t, func(t *testing.T) {
			runs, played := &many{}, 0
			h := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error {
				played++
				runs.away.Store(true)
				time.AfterFunc(c.away, func() { runs.away.Store(false) })
				err := finish(ctx, h)
				require.Equal(t, c.want != nil, errors.Is(context.Cause(ctx), engine.ErrHandedOff), "who cannot write begins nothing more")
				return err
			}})
			defer func() {
				<-time.After(c.away)
				require.NoError(t, h.Close(t.Context()))
			}()
			id := runs.begun(t)
			require.ErrorIs(t, h.Drive(t.Context(), id), c.want)
			require.Equal(t, 1, played)
		})
	}
}

func TestARunIsCancelledByItsMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		h := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error {
			<-ctx.Done()
			require.ErrorIs(t, context.Cause(ctx), context.Canceled)
			return finish(context.WithoutCancel(ctx), h)
		}})
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		id := runs.begun(t)
		driven := make(chan error, 1)
		go func() { driven <- h.Drive(t.Context(), id) }()
		synctest.Wait()
		since := time.Now()
		require.NoError(t, runs.RequestCancel(t.Context(), id))
		require.NoError(t, <-driven)
		require.Less(t, time.Since(since), 250*time.Millisecond)

		second := runs.begun(t)
		require.NoError(t, runs.RequestCancel(t.Context(), second))
		require.NoError(t, h.Drive(t.Context(), second), "one that was marked before")
	})
}

func TestARunThatOnlyWaitsHasNoDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		until := time.Now().Add(time.Hour)
		h := holder(t, runs, "a", &plays{play: func(context.Context, cluster.Held) error { return &engine.Parked{Until: until} }})
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		id := runs.begun(t)
		_, parked := errors.AsType[*engine.Parked](h.Drive(t.Context(), id))
		require.True(t, parked)
		waiting, err := runs.Unfinished(t.Context(), 10)
		require.NoError(t, err)
		require.Empty(t, waiting)
		asked := runs.changes.Load()
		<-time.After(time.Minute)
		require.InDelta(t, asked, runs.changes.Load(), 1, "nobody asks about it")
	})
}

func TestWhoLeavesARunLetsOthersHaveItAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		h := holder(t, runs, "a", &plays{play: func(ctx context.Context, _ cluster.Held) error { <-ctx.Done(); return context.Cause(ctx) }})
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		id := runs.begun(t)
		ctx, leave := context.WithCancelCause(t.Context())
		driven := make(chan error, 1)
		go func() { driven <- h.Drive(ctx, id) }()
		synctest.Wait()
		leave(engine.ErrHandedOff)
		require.ErrorIs(t, <-driven, engine.ErrHandedOff)
		_, err := runs.Take(t.Context(), id, "b")
		require.NoError(t, err)
	})
}

func TestARunThatTakesItsWorkersDownIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := &many{}
		id := runs.begun(t)
		for n := range 5 {
			name := fmt.Sprint("worker", n)
			require.NoError(t, runs.Renew(t.Context(), name))
			_, err := runs.Take(t.Context(), id, name)
			require.NoError(t, err)
			<-time.After(store.LeaseLife + time.Second) // it was killed
		}
		p := &plays{play: func(context.Context, cluster.Held) error { t.Error("it was played again"); return nil }}
		h := holder(t, runs, "a", p)
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		require.NoError(t, h.Drive(t.Context(), id))
		require.Equal(t, []string{node.CodeInterrupted}, p.ended)
	})
}

func TestARunWithoutATaskIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, p := &many{}, &plays{}
		h := holder(t, runs, "a", p)
		defer func() { require.NoError(t, h.Close(t.Context())) }()
		id := runs.begun(t)
		require.NoError(t, h.Abandon(t.Context(), id))
		require.NoError(t, h.Abandon(t.Context(), id))
		require.Equal(t, []string{node.CodeInterrupted}, p.ended)
	})
}
