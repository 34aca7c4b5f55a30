package statelog

import (
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/store/internal/vfs"
)

// stateDo reads the table and returns the changes to make, possibly none.
type stateDo = func(t *stateTable, now time.Time) ([]*stateLine, error)

// stateGroup is the queue of goroutines that read or change state. One of them, the leader, runs
// the operations of all in order of arrival and syncs once for many.
type stateGroup struct {
	lead  chan struct{} // capacity 1: the goroutine that can send to it is the leader
	crowd vfs.CommitGroup

	mu      sync.Mutex
	waiting []*stateAsk
}

// stateAsk is an operation and its result.
type stateAsk struct {
	do   stateDo
	done chan struct{} // closed when the operation is answered

	err      error
	panicked any  // value of a panic in do, which is passed on to the caller
	wrote    bool // it returned changes
	behind   bool // it has seen unwritten changes of others
}

// stateBatchSize is about the number of bytes written per round.
const stateBatchSize = 1 << 20

// ask runs the operation and adds its changes to the batch.
func (a *stateAsk) ask(t *stateTable, batch *stateBatch) {
	defer func() { a.panicked = recover() }()
	a.behind = len(batch.text) > 0
	lines, err := a.do(t, time.Now())
	if err == nil {
		err = batch.add(t, lines)
	}
	a.err, a.wrote = err, len(lines) > 0 && err == nil
}

func (a *stateAsk) answered() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// join adds a to the queue.
func (g *stateGroup) join(a *stateAsk) {
	g.crowd.Enter()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, a)
}

// withdraw removes a from the queue. It returns false if the leader has already begun with it.
func (g *stateGroup) withdraw(a *stateAsk) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, a)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	return i >= 0
}

// next removes the first operation from the queue; nil if the queue is empty.
func (g *stateGroup) next() *stateAsk {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		return nil
	}
	a := g.waiting[0]
	g.waiting = slices.Delete(g.waiting, 0, 1)
	return a
}

// answer ends the operations of a batch. If the batch could not be written, operations that only
// read but have seen its changes run again.
func (g *stateGroup) answer(asks []*stateAsk, err error) {
	var again []*stateAsk
	for _, a := range asks {
		switch {
		case err != nil && a.wrote:
			a.err = err
		case err != nil && a.behind && a.panicked == nil:
			again = append(again, a)
			continue
		}
		close(a.done)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(again, g.waiting...)
}
