package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/store"
)

// disownEvery is how often a process gives up what it does not drive, though the store says so:
// nobody waits for such a run much longer than for one whose driver has died.
const disownEvery = store.LeaseLife

// own is which runs a process drives, as it knows itself. The store may think of more: of runs
// whose taking it did, but could not confirm, and of those that could not be left because it was
// away. As long as the process lives nobody else could have them. Make one with newOwn, and close it.
type own struct {
	shared store.SharedRuns
	name   string

	taking sync.RWMutex // held for reading by who takes a run: none is taken while others are given up
	mu     sync.Mutex
	runs   map[string]int // how often each is driven here: an earlier one may not know yet that it is not any more

	stop context.CancelFunc
	done sync.WaitGroup
}

func newOwn(runs store.SharedRuns, name string) *own {
	ctx, stop := context.WithCancel(context.Background())
	o := &own{shared: runs, name: name, runs: map[string]int{}, stop: stop}
	o.done.Go(func() { o.keep(ctx) })
	return o
}

// take takes a run for who drives it until letGo.
func (o *own) take(ctx context.Context, id string) (taken store.Taken, letGo func(), err error) {
	o.taking.RLock()
	defer o.taking.RUnlock()
	if taken, err = o.shared.Take(ctx, id, o.name); err != nil {
		return taken, nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs[id]++
	return taken, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.runs[id]--; o.runs[id] == 0 {
			delete(o.runs, id)
		}
	}, nil
}

// keep gives up what is not driven here, again and again: an attempt while the store is away is
// made up for by the next one.
func (o *own) keep(ctx context.Context) {
	tick := time.NewTicker(disownEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			o.giveUp(ctx)
		}
	}
}

func (o *own) giveUp(ctx context.Context) {
	o.taking.Lock()
	defer o.taking.Unlock()
	o.mu.Lock()
	but := slices.Collect(maps.Keys(o.runs))
	o.mu.Unlock()
	_ = o.shared.ReleaseAllExcept(ctx, o.name, but)
}

func (o *own) close() {
	o.stop()
	o.done.Wait()
}
