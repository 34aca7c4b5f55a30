package postgres

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// renewEvery is how often the holder renews the trigger lease.
const renewEvery = time.Second

// Arm implements [store.ActivationStore]. The lease of a process that dies expires after
// [store.LeaseLife].
func (s *Activations) Arm(ctx context.Context) (store.Arming, error) {
	var epoch int64
	at := time.Now()
	err := s.db.One(ctx, `insert into svc_arming as a (one, epoch, until) values (true, 1, clock_timestamp() + $1 * interval '1 microsecond')
		on conflict (one) do update set epoch = a.epoch + 1, until = excluded.until where a.until <= clock_timestamp() returning epoch`,
		store.LeaseLife.Microseconds()).Scan(&epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Arming{}, store.ErrArmedElsewhere
	}
	if err != nil {
		return store.Arming{}, pg.Failed("let triggers fire", err)
	}
	s.epoch.Store(epoch)
	ctx = context.WithoutCancel(ctx) // the lease outlives the call, until it is released
	armed, stop := context.WithCancel(ctx)
	lost := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() {
		if s.keepArmed(armed, epoch, at) {
			close(lost)
		}
	})
	return store.Arming{Epoch: epoch, Lost: lost, Release: sync.OnceFunc(func() {
		stop()
		renewing.Wait()
		s.disarm(ctx, epoch)
	})}, nil
}

// keepArmed renews the lease, last renewed at at, until ctx ends. It returns true if the lease is
// lost: another process has taken it, or it could not be renewed in time.
func (s *Activations) keepArmed(ctx context.Context, epoch int64, at time.Time) (lost bool) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now := time.Now()
		trying, cancel := context.WithDeadline(ctx, at.Add(store.LeaseLife))
		tag, err := s.db.Exec(trying, `update svc_arming set until = clock_timestamp() + $2 * interval '1 microsecond' where epoch = $1`,
			epoch, store.LeaseLife.Microseconds())
		cancel()
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil && tag.RowsAffected() == 0, err != nil && time.Since(at) >= store.LeaseLife:
			return true
		case err == nil:
			at = now
		}
	}
}

// disarm ends the lease at once. If the database is not available, others wait until the lease
// expires.
func (s *Activations) disarm(ctx context.Context, epoch int64) {
	s.epoch.CompareAndSwap(epoch, 0)
	_, _ = s.db.Exec(ctx, `update svc_arming set until = clock_timestamp() where epoch = $1`, epoch)
}

// stillArmed returns an error if another epoch than mine has begun, and prevents that one begins
// before the transaction ends; 0 means that there is no epoch to check. A transaction that stays
// idle longer than a lease is aborted, so that a suspended process does not block others.
func stillArmed(ctx context.Context, tx pgx.Tx, mine int64) error {
	if mine == 0 {
		return nil
	}
	var epoch int64
	err := tx.QueryRow(ctx, `select epoch from svc_arming where set_config('idle_in_transaction_session_timeout', $1, true) <> '' for share`,
		strconv.FormatInt(store.LeaseLife.Milliseconds(), 10)).Scan(&epoch)
	if err == nil && epoch != mine {
		err = pg.Refused(store.ErrArmedElsewhere)
	}
	return err
}
