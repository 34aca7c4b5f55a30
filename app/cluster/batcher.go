package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/svcflow/svc/store"
)

// Bounds of a batch.
const (
	maxBatch      = 256
	maxBatchBytes = 1 << 20 // unless the first item is larger
)

// batcher runs items in batches: items that arrive while a batch is running form the next one.
// There is no delay. The zero value with run set is ready to use.
type batcher[T any] struct {
	run   func(ctx context.Context, all []T) error
	bytes func(T) int // approximate size of an item; nil if it does not matter

	mu      sync.Mutex
	busy    bool
	waiting []batchItem[T]
}

type batchItem[T any] struct {
	one  T
	done chan error
}

// do runs one item in a batch and returns its error. The end of ctx does not cancel it.
func (t *batcher[T]) do(ctx context.Context, one T) error {
	w := batchItem[T]{one, make(chan error, 1)}
	t.mu.Lock()
	t.waiting = append(t.waiting, w)
	begins := !t.busy
	t.busy = true
	t.mu.Unlock()
	if begins {
		go t.runAll(context.WithoutCancel(ctx))
	}
	return <-w.done
}

// runAll runs batches until there are no items.
func (t *batcher[T]) runAll(ctx context.Context) {
	for {
		next := t.next()
		if len(next) == 0 {
			return
		}
		if err := t.runBatch(ctx, next); err == nil || len(next) == 1 || errors.Is(err, store.ErrUnavailable) {
			finish(next, err)
			continue
		}
		for i := range next { // find the item that is at fault
			finish(next[i:i+1], t.runBatch(ctx, next[i:i+1]))
		}
	}
}

func (t *batcher[T]) runBatch(ctx context.Context, all []batchItem[T]) error {
	ones := make([]T, len(all))
	for i := range all {
		ones[i] = all[i].one
	}
	return t.run(ctx, ones)
}

func finish[T any](all []batchItem[T], err error) {
	for _, w := range all {
		w.done <- err
	}
}

// next returns the next batch.
func (t *batcher[T]) next() []batchItem[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, bytes := 0, 0
	for n < min(len(t.waiting), maxBatch) {
		if t.bytes != nil {
			bytes += t.bytes(t.waiting[n].one)
		}
		if n > 0 && bytes > maxBatchBytes {
			break
		}
		n++
	}
	next := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	t.busy = n > 0
	return next
}
