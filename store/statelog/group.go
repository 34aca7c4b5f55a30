package statelog

import (
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/store/internal/vfs"
)

// stateDo is what somebody wants of the table: the changes to make, which may be none.
type stateDo = func(t *stateTable, now time.Time) ([]*stateLine, error)

// stateGroup is those who want something of the state. One of them leads: it does for all
// what they want, in the order in which they came, and asks the disk once.
type stateGroup struct {
	lead  chan struct{} // has one place: whoever puts something into it leads
	crowd vfs.CommitGroup

	mu      sync.Mutex
	waiting []*stateAsk
}

// stateAsk is what one of them wants, and what has become of it.
type stateAsk struct {
	do   stateDo
	done chan struct{} // closed when it is answered

	err      error
	panicked any  // what do has panicked with, which is for whoever brought it
	wrote    bool // there is something to be written for it
	behind   bool // it has seen what others are about to write
}

// stateBatchSize is how many bytes are written at once, about.
const stateBatchSize = 1 << 20

// ask does what a wants, for the batch.
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

// join has a wait.
func (g *stateGroup) join(a *stateAsk) {
	g.crowd.Enter()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, a)
}

// withdraw reports whether nobody has begun with a, and nobody will.
func (g *stateGroup) withdraw(a *stateAsk) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, a)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	return i >= 0
}

// next returns who has waited for longest, who does not from then on; nil if nobody does.
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

// answer tells those of a batch what has become of it. If it could not be written, who only
// looked looks again: what it has seen is not there.
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
