package cluster

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/store"
)

// renewEvery is how often a process renews its lease. It keeps its runs as long as the lease is
// valid, even if Temporal is unreachable.
const renewEvery = time.Second

// lease tells the other processes that this one is alive. Make one with newLease, and end it.
type lease struct {
	runs interface {
		Renew(ctx context.Context, driver string) error
		Retire(ctx context.Context, driver string) error
	}
	name string
	log  *slog.Logger

	stop     context.CancelFunc
	renewing sync.WaitGroup
	mu       sync.Mutex
	at       time.Time // last renewal, by the monotonic clock
}

func newLease(runs store.SharedRuns, name string, log *slog.Logger) *lease {
	ctx, stop := context.WithCancel(context.Background())
	l := &lease{runs: runs, name: name, log: log, stop: stop}
	l.renewing.Go(func() { l.keep(ctx) })
	return l
}

// fresh returns once the lease is valid for a while.
func (l *lease) fresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.at.IsZero() && time.Since(l.at) < store.LeaseLife/2 {
		return nil
	}
	return l.renew(ctx)
}

// renew renews the lease. The caller holds mu.
func (l *lease) renew(ctx context.Context) error {
	at := time.Now()
	err := l.runs.Renew(ctx, l.name)
	if err == nil {
		l.at = at
	}
	return err
}

// keep renews the lease until ctx ends.
func (l *lease) keep(ctx context.Context) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		l.mu.Lock()
		err := l.renew(ctx)
		l.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			l.log.DebugContext(ctx, "the lease of this process cannot be renewed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// end ends the lease, so that others can take the runs at once.
func (l *lease) end(ctx context.Context) error {
	l.stop()
	l.renewing.Wait()
	return l.runs.Retire(ctx, l.name)
}

// releaseEvery is how often a process releases runs that it does not drive. It equals the life of
// a lease, so that such a run waits no longer than one of a dead driver.
const releaseEvery = store.LeaseLife

// drivenRuns are the runs that this process drives. The database may have more under its name:
// runs whose take was not confirmed, and runs that could not be left while it was unavailable.
// Nobody else could take these while the process lives. Make one with newDrivenRuns, and close
// it.
type drivenRuns struct {
	shared store.SharedRuns
	name   string

	takeMu sync.RWMutex // read lock: taking a run; write lock: releasing others
	mu     sync.Mutex
	runs   map[string]int // drivers per run: an earlier one may not have noticed its end yet

	stop context.CancelFunc
	done sync.WaitGroup
}

func newDrivenRuns(runs store.SharedRuns, name string) *drivenRuns {
	ctx, stop := context.WithCancel(context.Background())
	o := &drivenRuns{shared: runs, name: name, runs: map[string]int{}, stop: stop}
	o.done.Go(func() { o.work(ctx) })
	return o
}

// take takes a run until letGo is called.
func (o *drivenRuns) take(ctx context.Context, id string) (taken store.Taken, letGo func(), err error) {
	o.takeMu.RLock()
	defer o.takeMu.RUnlock()
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

// work releases runs that are not driven here, until ctx ends. After an error it tries again next
// time.
func (o *drivenRuns) work(ctx context.Context) {
	tick := time.NewTicker(releaseEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			o.releaseOthers(ctx)
		}
	}
}

func (o *drivenRuns) releaseOthers(ctx context.Context) {
	o.takeMu.Lock()
	defer o.takeMu.Unlock()
	o.mu.Lock()
	but := slices.Collect(maps.Keys(o.runs))
	o.mu.Unlock()
	_ = o.shared.ReleaseAllExcept(ctx, o.name, but)
}

func (o *drivenRuns) close() {
	o.stop()
	o.done.Wait()
}
