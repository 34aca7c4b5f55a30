package postgres

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// makePlaces creates the missing run slots, once.
func (s *Runs) makePlaces(ctx context.Context, all int) error {
	if s.places.Load() >= int64(all) {
		return nil
	}
	_, err := s.db.Exec(ctx, `insert into svc_places (place) select n from generate_series(0, $1 - 1) n
		where (select count(*) from svc_places where place < $1) < $1 on conflict do nothing`, all)
	if err == nil {
		s.places.Store(int64(all))
	}
	return err
}

// countKeysEvery is the interval at which keys are counted again.
const countKeysEvery = time.Minute

// roomForKey returns an error if there are about as many idempotency keys as allowed.
func (s *Runs) roomForKey(ctx context.Context) error {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if time.Since(s.keys.counted) > countKeysEvery {
		if err := s.db.One(ctx, `select count(*) from svc_keys`).Scan(&s.keys.keys); err != nil {
			return err
		}
		s.keys.counted = time.Now()
	}
	if s.keys.keys >= limit.IdempotencyKeys {
		return pg.Refused(store.ErrTooManyKeys)
	}
	s.keys.keys++
	return nil
}
