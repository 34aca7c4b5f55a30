package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/store"
)

// renewEvery is how often who lets triggers fire says that it is alive.
const renewEvery = time.Second

// Arm implements [store.ActivationStore]. Who dies is known to have died after [store.LeaseLife].
func (s *Activations) Arm(ctx context.Context) (release func(), err error) {
	var epoch int64
	err = s.one(ctx, `insert into svc_arming as a (one, epoch, until) values (true, 1, clock_timestamp() + $1 * interval '1 microsecond')
		on conflict (one) do update set epoch = a.epoch + 1, until = excluded.until where a.until <= clock_timestamp() returning epoch`,
		store.LeaseLife.Microseconds()).Scan(&epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, store.ErrArmedElsewhere
	}
	if err != nil {
		return nil, failed("let triggers fire", err)
	}
	s.epoch.Store(epoch)
	ctx = context.WithoutCancel(ctx) // it is the caller's until release
	armed, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { s.keepArmed(armed, epoch) })
	return sync.OnceFunc(func() {
		stop()
		renewing.Wait()
		s.disarm(ctx, epoch)
	}), nil
}

// keepArmed renews the lease until somebody else has it, or ctx ends.
func (s *Activations) keepArmed(ctx context.Context, epoch int64) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		tag, err := s.exec(ctx, `update svc_arming set until = clock_timestamp() + $2 * interval '1 microsecond' where epoch = $1`,
			epoch, store.LeaseLife.Microseconds())
		if err == nil && tag.RowsAffected() == 0 {
			return // what it does now is refused
		}
	}
}

// disarm lets others go on at once. If the database is away, they wait for the lease to end.
func (s *Activations) disarm(ctx context.Context, epoch int64) {
	s.epoch.CompareAndSwap(epoch, 0)
	_, _ = s.exec(ctx, `update svc_arming set until = clock_timestamp() where epoch = $1`, epoch)
}
