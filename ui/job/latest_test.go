package job_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/job"
)

// view simulates the goroutine of a window: a queue that the test runs.
type view struct {
	t     *testing.T
	queue chan func()
}

func (v view) post(f func()) { v.queue <- f }

func newView(t *testing.T) view {
	v, done := view{t, make(chan func(), 1000)}, make(chan struct{})
	go func() {
		defer close(done)
		for f := range v.queue {
			f()
		}
	}()
	t.Cleanup(func() {
		close(v.queue)
		<-done
	})
	return v
}

// jobs returns a runner that ends with the test, also with one that has failed.
func (v view) jobs() *job.Runner {
	r := job.New(v.post)
	v.t.Cleanup(func() {
		r.Close()
		r.Wait()
	})
	return r
}

// do has f done on the view and waits for it. If f fails there, the test ends here, too.
func (v view) do(f func()) {
	done := make(chan struct{})
	v.queue <- func() {
		defer close(done)
		f()
	}
	if <-done; v.t.Failed() {
		v.t.FailNow()
	}
}

func TestLatestDoesTheLastJobOnceItIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		l := v.jobs().Latest(100 * time.Millisecond)
		var begun, applied []int
		nth := func(n int) job.Job {
			return func(context.Context) func() {
				begun = append(begun, n)
				return func() { applied = append(applied, n) }
			}
		}
		for n := range 5 {
			v.do(func() { l.Do(nth(n)) })
			time.Sleep(50 * time.Millisecond) //nolint:forbidigo // of the bubble
		}
		v.do(func() { require.Empty(t, begun, "it was never quiet for long enough") })
		time.Sleep(time.Second) //nolint:forbidigo // of the bubble
		synctest.Wait()
		require.Equal(t, []int{4}, begun)
		require.Equal(t, []int{4}, applied)
		v.do(l.Close)
	})
}

func TestLatestDropsTheOutcomeOfAnEarlierJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		l := v.jobs().Latest(0)
		told := false
		var applied []string
		v.do(func() {
			l.Do(func(ctx context.Context) func() {
				<-ctx.Done()
				told = true
				return func() { applied = append(applied, "first") }
			})
		})
		time.Sleep(time.Second) //nolint:forbidigo // of the bubble
		v.do(func() {
			l.Do(func(context.Context) func() { return func() { applied = append(applied, "second") } })
		})
		time.Sleep(time.Second) //nolint:forbidigo // of the bubble
		synctest.Wait()
		require.True(t, told, "the context of an unwanted job is cancelled")
		require.Equal(t, []string{"second"}, applied)
		v.do(l.Close)
	})
}

func TestLatestFlushRunsTheWaitingJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		l := v.jobs().Latest(time.Hour)
		applied := 0
		v.do(func() {
			l.Do(func(context.Context) func() { return func() { applied++ } })
			l.Flush()
			require.Equal(t, 1, applied)
			l.Flush()
		})
		time.Sleep(2 * time.Hour) //nolint:forbidigo // of the bubble
		synctest.Wait()
		require.Equal(t, 1, applied, "it is not done again")
		v.do(l.Close)
	})
}

func TestLatestNowStartsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newView(t)
		l := v.jobs().Latest(time.Hour)
		var applied []string
		named := func(name string, takes time.Duration) job.Job {
			return func(ctx context.Context) func() {
				select {
				case <-time.After(takes):
				case <-ctx.Done():
				}
				return func() { applied = append(applied, name) }
			}
		}
		v.do(func() { l.Now(named("first", time.Minute)) })
		v.do(func() {
			require.True(t, l.Busy())
			l.Now(named("second", time.Second))
		})
		time.Sleep(2 * time.Minute) //nolint:forbidigo // of the bubble
		v.do(func() {
			require.Equal(t, []string{"second"}, applied)
			require.False(t, l.Busy())
			l.Now(func(context.Context) func() { return nil })
		})
		synctest.Wait()
		v.do(func() {
			require.False(t, l.Busy(), "also without a result")
			l.Now(named("third", time.Hour))
			l.Stop()
			require.False(t, l.Busy())
			l.Close() // waits for the third, which ends at once because it is cancelled
		})
		require.Equal(t, []string{"second"}, applied)
	})
}
