package runs

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/job"
)

// view simulates the goroutine of a window: a queue that the test runs.
type view struct {
	t     *testing.T
	queue chan func()
	jobs  *job.Runner
}

func (v *view) post(f func()) { v.queue <- f }

func newView(t *testing.T) *view {
	v, done := &view{t: t, queue: make(chan func(), 1000)}, make(chan struct{})
	v.jobs = job.New(v.post)
	go func() {
		defer close(done)
		for f := range v.queue {
			f()
		}
	}()
	t.Cleanup(func() { // also of a test that has failed, as a bubble has to end
		v.jobs.Close()
		v.jobs.Wait()
		close(v.queue)
		<-done
	})
	return v
}

// do has f done on the view and waits for it. If f fails there, the test ends here, too.
func (v *view) do(f func()) {
	done := make(chan struct{})
	v.queue <- func() {
		defer close(done)
		f()
	}
	if <-done; v.t.Failed() {
		v.t.FailNow()
	}
}

// host is the host of a test: it sends events until they end or the run is cancelled.
type host struct {
	events    iter.Seq2[engine.Event, error]
	cancelled chan string
}

func (p *host) Events(context.Context, string, int) iter.Seq2[engine.Event, error] { return p.events }

func (p *host) Cancel(_ context.Context, runID string) error {
	p.cancelled <- runID
	return nil
}

// calls records the calls to a feed.
type calls struct {
	id      string
	events  []engine.Event
	batches int
	ended   bool
	err     error
}

func (w *calls) feed() feed {
	return feed{
		started: func(id string) { w.id = id },
		events: func(events []engine.Event) {
			w.batches++
			w.events = append(w.events, events...)
		},
		ended: func(err error) { w.ended, w.err = true, err },
	}
}

func started(id string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return id, nil }
}

func TestRunGivesEveryEventInFewBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const events = 50_000 // over two seconds
		v, w := newView(t), &calls{}
		p := &host{events: func(yield func(engine.Event, error) bool) {
			for n := range events {
				if n%1000 == 0 {
					time.Sleep(40 * time.Millisecond) //nolint:forbidigo // of the bubble
				}
				if !yield(engine.Event{Seq: n + 1}, nil) {
					return
				}
			}
		}}
		follow(v.jobs, p, 0, w.feed(), started("r1"))
		v.jobs.Wait()
		v.do(func() {})
		require.True(t, w.ended)
		require.NoError(t, w.err)
		require.Equal(t, "r1", w.id)
		require.Len(t, w.events, events)
		for i := range w.events {
			require.Equal(t, i+1, w.events[i].Seq)
		}
		require.LessOrEqual(t, w.batches, 2*rate+2, "a view is not flooded")
		require.Greater(t, w.batches, rate, "events arrive while the run is in progress")
	})
}

func TestRunThatCannotStartSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, w := newView(t), &calls{}
		refused := errors.New("no place for a run")
		follow(v.jobs, &host{}, 0, w.feed(), func(context.Context) (string, error) { return "", refused })
		v.jobs.Wait()
		v.do(func() {})
		require.ErrorIs(t, w.err, refused)
		require.Empty(t, w.id)
	})
}

func TestRunThatIsLostSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, w := newView(t), &calls{}
		lost := errors.New("the server stays away")
		p := &host{events: func(yield func(engine.Event, error) bool) {
			_ = yield(engine.Event{Seq: 1}, nil) && yield(engine.Event{}, lost)
		}}
		follow(v.jobs, p, 0, w.feed(), started("r1"))
		v.jobs.Wait()
		v.do(func() {})
		require.ErrorIs(t, w.err, lost)
		require.Len(t, w.events, 1, "earlier events are sent first")
	})
}

func TestCancelBeforeTheStartCancelsTheRunThatComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, w := newView(t), &calls{}
		p := &host{cancelled: make(chan string, 1), events: func(func(engine.Event, error) bool) {}}
		r := follow(v.jobs, p, 0, w.feed(), func(context.Context) (string, error) {
			time.Sleep(time.Second) //nolint:forbidigo // of the bubble
			return "r1", nil
		})
		require.NoError(t, r.cancel(t.Context()))
		v.jobs.Wait()
		require.Equal(t, "r1", <-p.cancelled)
	})
}

func TestCloseEndsFollowingWhileTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, w := &view{queue: make(chan func(), 1000)}, &calls{} // a window that does nothing
		v.jobs = job.New(v.post)
		p := &host{events: func(yield func(engine.Event, error) bool) {
			for n := 0; yield(engine.Event{Seq: n + 1}, nil) && n < 100_000; n++ {
			}
		}}
		r := follow(v.jobs, p, 0, w.feed(), started("r1"))
		time.Sleep(time.Second) //nolint:forbidigo // of the bubble
		synctest.Wait()
		r.close()
		v.jobs.Wait() // although the queue is full
	})
}
