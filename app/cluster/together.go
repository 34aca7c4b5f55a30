package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/svcflow/svc/store"
)

// Bounds of what is done together.
const (
	togetherMost  = 256
	togetherBytes = 1 << 20 // the first one may have more
)

// together does things together that come up at the same time: what comes while others are being
// done waits for these, and is then done in one go. Nobody waits for company.
type together[T any] struct {
	do    func(ctx context.Context, all []T) error
	bytes func(T) int // about how large one is; nil if that does not matter

	mu      sync.Mutex
	busy    bool
	waiting []waiting[T]
}

type waiting[T any] struct {
	one  T
	done chan error
}

// join has one thing done, and returns when that has happened, whatever becomes of ctx, of which
// only the values are used.
func (t *together[T]) join(ctx context.Context, one T) error {
	w := waiting[T]{one, make(chan error, 1)}
	t.mu.Lock()
	t.waiting = append(t.waiting, w)
	begins := !t.busy
	t.busy = true
	t.mu.Unlock()
	if begins {
		go t.work(context.WithoutCancel(ctx))
	}
	return <-w.done
}

// work does what waits, until there is nothing.
func (t *together[T]) work(ctx context.Context) {
	for {
		next := t.next()
		if len(next) == 0 {
			return
		}
		if err := t.doAll(ctx, next); err == nil || len(next) == 1 || errors.Is(err, store.ErrUnavailable) {
			tellAll(next, err)
			continue
		}
		for i := range next { // one of them is bad, which is no fault of the others
			tellAll(next[i:i+1], t.doAll(ctx, next[i:i+1]))
		}
	}
}

func (t *together[T]) doAll(ctx context.Context, all []waiting[T]) error {
	ones := make([]T, len(all))
	for i := range all {
		ones[i] = all[i].one
	}
	return t.do(ctx, ones)
}

func tellAll[T any](all []waiting[T], err error) {
	for _, w := range all {
		w.done <- err
	}
}

// next takes what is done next.
func (t *together[T]) next() []waiting[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, bytes := 0, 0
	for n < min(len(t.waiting), togetherMost) {
		if t.bytes != nil {
			bytes += t.bytes(t.waiting[n].one)
		}
		if n > 0 && bytes > togetherBytes {
			break
		}
		n++
	}
	next := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	t.busy = n > 0
	return next
}
