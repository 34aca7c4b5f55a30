package cluster_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/store"
)

// mute are runs whose store does what it is asked, and is away before it can say so.
type mute struct {
	many

	taking, leaving atomic.Bool
}

func (m *mute) Take(ctx context.Context, runID, driver string) (store.Taken, error) {
	taken, err := m.many.Take(ctx, runID, driver)
	if err == nil && m.taking.CompareAndSwap(true, false) {
		return store.Taken{}, errAway
	}
	taken.SharedJournal = &muteJournal{taken.SharedJournal, m}
	return taken, err
}

type muteJournal struct {
	store.SharedJournal
	runs *mute
}

func (j *muteJournal) Leave(ctx context.Context, until time.Time) error {
	if j.runs.leaving.CompareAndSwap(true, false) {
		return errAway
	}
	return j.SharedJournal.Leave(ctx, until)
}

// A run is released after a take or a handoff that the store could not confirm: another process
// can have it while this one lives.
func TestRunsWithoutDriverAreReleased(t *testing.T) {
	for name, spoil := range map[string]func(m *mute){
		"it was taken, without a word": func(m *mute) { m.taking.Store(true) },
		"it could not be left":         func(m *mute) { m.leaving.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				runs := &mute{}
				a := holder(t, runs, "a", &plays{play: func(context.Context, cluster.Held) error { return errAway }})
				b := holder(t, runs, "b", &plays{play: func(ctx context.Context, h cluster.Held) error { return finish(ctx, h) }})
				defer func() { require.NoError(t, errors.Join(a.Close(t.Context()), b.Close(t.Context()))) }()
				spoil(runs)
				id := runs.begun(t)
				require.ErrorIs(t, a.Drive(t.Context(), id), store.ErrUnavailable)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				since := time.Now()
				require.NoError(t, b.Drive(ctx, id))
				require.Less(t, time.Since(since), 2*store.LeaseLife)
			})
		})
	}
}

// What is being driven is never given up.
func TestARunThatIsDrivenIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, goOn := &many{}, make(chan struct{})
		a := holder(t, runs, "a", &plays{play: func(ctx context.Context, h cluster.Held) error { <-goOn; return finish(ctx, h) }})
		defer func() { require.NoError(t, a.Close(t.Context())) }()
		id, driven := runs.begun(t), make(chan error, 1)
		go func() { driven <- a.Drive(t.Context(), id) }()
		<-time.After(time.Hour)
		_, err := runs.Take(t.Context(), id, "b")
		require.ErrorIs(t, err, store.ErrRunDriven)
		close(goOn)
		require.NoError(t, <-driven)
	})
}
