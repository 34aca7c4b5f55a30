package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
)

// Admit implements [store.SharedRuns].
func (s *Runs) Admit(ctx context.Context, runID string, limits store.SharedLimits) error {
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("admit run: %w", err)
	}
	if err := s.makePlaces(ctx, limits.Unfinished); err != nil {
		return failed("admit run", err)
	}
	for try := 0; ; try++ {
		var finished, placed bool
		err = s.one(ctx, `select finished is not null, exists (select from svc_places where run = $1) from svc_runs where id = $1`, id).Scan(&finished, &placed)
		switch {
		case err != nil:
			return failed("admit run", notFound(err))
		case finished:
			return failed("admit run", refused(store.ErrRunEnded))
		case placed, limits.Unfinished <= 0:
			return nil
		}
		// Not one that has ended since, whose place nobody would free.
		tag, err := s.exec(ctx, takePlace+` and exists (select from svc_runs where id = $1 and finished is null for update)`, id, limits.Unfinished)
		switch {
		case err != nil && !violates(err, uniqueViolation): // it has got one meanwhile
			return failed("admit run", err)
		case err == nil && tag.RowsAffected() > 0:
			return nil
		case err == nil && try > 0: // and nobody has admitted it meanwhile
			return failed("admit run", refused(store.ErrNoPlace))
		}
	}
}

// makePlaces makes the places that are missing of so many, once.
func (s *Runs) makePlaces(ctx context.Context, all int) error {
	if s.places.Load() >= int64(all) {
		return nil
	}
	_, err := s.exec(ctx, `insert into svc_places (place) select n from generate_series(0, $1 - 1) n
		where (select count(*) from svc_places where place < $1) < $1 on conflict do nothing`, all)
	if err == nil {
		s.places.Store(int64(all))
	}
	return err
}

// countKeysEvery is after how long keys are counted again.
const countKeysEvery = time.Minute

// roomForKey says whether there are too many idempotency keys, about.
func (s *Runs) roomForKey(ctx context.Context) error {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if time.Since(s.keys.counted) > countKeysEvery {
		if err := s.one(ctx, `select count(*) from svc_keys`).Scan(&s.keys.keys); err != nil {
			return err
		}
		s.keys.counted = time.Now()
	}
	if s.keys.keys >= limit.IdempotencyKeys {
		return refused(store.ErrTooManyKeys)
	}
	s.keys.keys++
	return nil
}
