package uitest

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/svcflow/svc/ui/job"
)

// Queue simulates the goroutine of a window: results of jobs wait in it until the test, which
// is that goroutine, runs them. So nothing changes while a test looks, just as while a window
// draws. (Fyne's test driver would run them at once, on the job's goroutine.) The zero value
// is ready to use.
type Queue struct {
	mu      sync.Mutex
	waiting []func()
}

// Jobs returns a runner that is closed at the end of the test, and the queue for its results.
func Jobs(t testing.TB) (*job.Runner, *Queue) {
	t.Helper()
	q := &Queue{}
	r := job.New(q.Post)
	t.Cleanup(r.Wait)
	t.Cleanup(r.Close)
	return r, q
}

// Post queues f for the next Settle. It may be called from any goroutine.
func (q *Queue) Post(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, f)
}

// Settle runs the results of jobs until none are left and all goroutines of the test's bubble
// wait for time only.
func (q *Queue) Settle() {
	for {
		synctest.Wait()
		waiting := q.take()
		if len(waiting) == 0 {
			return
		}
		for _, f := range waiting {
			f()
		}
	}
}

// take returns the queued functions, in order.
func (q *Queue) take() []func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.waiting
	q.waiting = nil
	return waiting
}
