package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/svcflow/svc/store"
)

// renewEvery is how often a process says that it is alive, so that nobody takes the runs that
// it drives, also while Temporal cannot hear it.
const renewEvery = time.Second

// lease is the word of a process that it is alive. Make one with newLease, and end it.
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
	at       time.Time // when it was last said; by the monotonic clock
}

func newLease(runs store.SharedRuns, name string, log *slog.Logger) *lease {
	ctx, stop := context.WithCancel(context.Background())
	l := &lease{runs: runs, name: name, log: log, stop: stop}
	l.renewing.Go(func() { l.keep(ctx) })
	return l
}

// fresh returns once it has been said lately.
func (l *lease) fresh(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.at.IsZero() && time.Since(l.at) < store.LeaseLife/2 {
		return nil
	}
	return l.renew(ctx)
}

// renew says it. The caller holds mu.
func (l *lease) renew(ctx context.Context) error {
	at := time.Now()
	err := l.runs.Renew(ctx, l.name)
	if err == nil {
		l.at = at
	}
	return err
}

// keep says it again and again.
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

// end says that the process is gone: others take its runs at once.
func (l *lease) end(ctx context.Context) error {
	l.stop()
	l.renewing.Wait()
	return l.runs.Retire(ctx, l.name)
}
