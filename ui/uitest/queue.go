package uitest

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/svcflow/svc/ui/job"
)

// Queue stands for the goroutine of a window: what jobs bring back waits in it until the
// test, which is that goroutine, takes it. So nothing changes what is shown while a test
// looks at it, as nothing does while a window draws. (The driver for tests would do it
// at once, on the job's own goroutine.) The zero value is ready.
type Queue struct {
	mu      sync.Mutex
	waiting []func()
}

// Jobs returns what does slow things until the test ends, and the queue that it brings
// them back to.
func Jobs(t testing.TB) (*job.Runner, *Queue) {
	t.Helper()
	q := &Queue{}
	r := job.New(q.Post)
	t.Cleanup(r.Wait)
	t.Cleanup(r.Close)
	return r, q
}

// Post has f done by the next Settle. It may be called from any goroutine.
func (q *Queue) Post(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, f)
}

// Settle does what waits, until nothing is left and nothing goes on in the test's bubble
// that does not wait for time.
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

// take returns what waits, in the order in which it came.
func (q *Queue) take() []func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.waiting
	q.waiting = nil
	return waiting
}
