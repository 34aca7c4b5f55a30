package e2e

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store"
)

// starting starts runs one after the other until it is stopped.
type starting struct {
	acknowledged []string
	others       []error // errors other than an unavailable database
	stop         func()
}

func (w *world) starting(start func(ctx context.Context) (runID string, err error)) *starting {
	s := &starting{}
	end := make(chan struct{})
	var working sync.WaitGroup
	working.Go(func() {
		for tick := time.NewTicker(300 * time.Millisecond); ; {
			select {
			case <-end:
				tick.Stop()
				return
			case <-tick.C:
			}
			id, err := start(w.t.Context())
			problem, _ := errors.AsType[*client.Error](err)
			switch {
			case err == nil:
				s.acknowledged = append(s.acknowledged, id)
			case !errors.Is(err, store.ErrUnavailable) && (problem == nil || problem.Code != node.CodeUnavailable):
				s.others = append(s.others, err)
			}
		}
	})
	s.stop = sync.OnceFunc(func() { close(end); working.Wait() })
	w.t.Cleanup(s.stop)
	return s
}

// following collects the events of a run at an instance until its end.
func (w *world) following(a *app.App, id string) (told func() []string) {
	var all []string
	var err error
	var working sync.WaitGroup
	working.Go(func() {
		for w.t.Context().Err() == nil {
			for e, stopped := range a.Events(w.t.Context(), id, len(all)) {
				if err = stopped; err != nil {
					break
				}
				text, wrong := e.MarshalJSON()
				err = wrong
				all = append(all, string(text))
			}
			if err == nil || !errors.Is(err, store.ErrUnavailable) {
				return
			}
			select {
			case <-time.After(100 * time.Millisecond): // until the database is available
			case <-w.t.Context().Done():
			}
		}
	})
	return func() []string {
		w.t.Helper()
		working.Wait()
		require.NoError(w.t, err)
		return all
	}
}

// TestPostgresIsAway stops PostgreSQL immediately and starts it again, repeatedly. Everything that
// was acknowledged or shown is still there, and results from the time in between are written
// without executing nodes again.
func TestPostgresIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.member(20, "")
	w.member(20, "")
	a, other := w.instance(), w.instance()
	stops, random := trials.Of(t, 2, 20), trials.Random(t)
	started := 0
	for range stops {
		ids := []string{w.started(a, inARow), w.started(a, inARow+`,{"id":"long","type":"here.note","config":{"ms":12000}}`)}
		shown := w.following(other, ids[0])
		w.until(time.Minute, "the runs are under way", func() bool { return w.inFlight(ids) == len(ids)+1 })
		starts := w.starting(func(ctx context.Context) (string, error) {
			return a.StartJSON(ctx, []byte(`{"id":"w","nodes":[{"id":"a","type":"here.note","config":{"ms":100}}],"connections":[]}`), run.Request{})
		})
		<-time.After(time.Duration(random.IntN(2000)) * time.Millisecond)
		w.postgres.Down()
		away := time.Duration(random.IntN(10000)) * time.Millisecond
		<-time.After(away)
		w.postgres.Up()
		back := time.Now()
		<-time.After(time.Second)
		starts.stop()
		require.Empty(t, starts.others, "who cannot start a run hears why")
		started += len(starts.acknowledged)
		for id, status := range w.endedWhenBack(append(ids, starts.acknowledged...)) {
			require.Equal(t, engine.StatusCompleted, status, id)
		}
		t.Logf("away for %s: all had ended %s after its return", away, time.Since(back).Round(time.Millisecond))
		require.Equal(t, w.told(a, ids[0]), shown(), "what was shown is there")
	}
	for key, by := range w.noted("begin") {
		require.Len(t, by, 1, "%s was done again", key)
	}
	t.Logf("%d stops, %d runs started beside", stops, started)
}

// endedWhenBack is ended, but first waits until the database is available.
func (w *world) endedWhenBack(ids []string) map[string]engine.Status {
	w.t.Helper()
	w.until(time.Minute, "the database answers", func() bool {
		_, err := w.runs.Changes(w.t.Context(), ids)
		return err == nil
	})
	return w.ended(ids, 3*time.Minute)
}
