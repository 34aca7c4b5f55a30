package media

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine/node"
)

// places are how many processes there may be at once. Who comes first is served first, and
// is told how many are before it.
type places struct {
	all   int
	mu    sync.Mutex
	free  int
	queue []*waiter
}

type waiter struct {
	granted chan struct{}
	before  chan int // has the last number only
}

func newPlaces(n int) *places { return &places{all: n, free: n} }

// load returns how many are at work, and how many wait.
func (p *places) load() (running, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all - p.free, len(p.queue)
}

// take waits for a place, and returns what gives it back.
func (p *places) take(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	if p.free > 0 {
		p.free--
		p.mu.Unlock()
		return p.release, nil
	}
	w := &waiter{make(chan struct{}), make(chan int, 1)}
	p.queue = append(p.queue, w)
	w.before <- len(p.queue) - 1
	p.mu.Unlock()
	for {
		select {
		case <-w.granted:
			return p.release, nil
		case n := <-w.before:
			node.Progress(ctx, 0, 0, fmt.Sprintf("waiting for a place, %d before it", n))
		case <-ctx.Done():
			p.leave(w)
			return nil, context.Cause(ctx)
		}
	}
}

// leave takes a waiter out of the queue, or gives back the place that it was just given.
func (p *places) leave(w *waiter) {
	p.mu.Lock()
	at := slices.Index(p.queue, w)
	if at >= 0 {
		p.queue = slices.Delete(p.queue, at, at+1)
		p.tell()
	}
	p.mu.Unlock()
	if at < 0 {
		p.release()
	}
}

func (p *places) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.free++
		return
	}
	close(p.queue[0].granted)
	p.queue = slices.Delete(p.queue, 0, 1)
	p.tell()
}

// tell says to all who wait how many are before them now.
func (p *places) tell() {
	for i, w := range p.queue {
		select {
		case <-w.before:
		default:
		}
		w.before <- i
	}
}
