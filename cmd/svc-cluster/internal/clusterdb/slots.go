package clusterdb

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/store/postgres/pg"
)

// freePlaces deletes the run slots whose leases have expired, and those of runs that have ended.
const freePlaces = `delete from svc_key_places p where (run is null and until <= clock_timestamp()
	or run is not null and not exists (select from svc_runs r where r.id = p.run and r.finished is null))`

// TakePlace implements [ring.Store].
func (s *Keys) TakePlace(ctx context.Context, key ring.Digest, id string, most int) (taken bool, err error) {
	err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`select from svc_named_keys where digest = $1 for no key update`, key[:]) // lock the key, so that calls run one after the other
		b.Queue(freePlaces+` and key = $1`, key[:])
		b.Queue(`insert into svc_key_places (id, key, until)
			select $2::text::uuid, digest, clock_timestamp() + $3 * interval '1 microsecond' from svc_named_keys
			where digest = $1 and (select count(*) from svc_key_places where key = $1) < $4`, key[:], id, ring.PlaceLife.Microseconds(), most)
		rows, err := pg.Sent(ctx, tx, &b)
		taken = err == nil && rows[2] > 0
		return err
	})
	return taken, pg.Failed("take the place of a run", err)
}

// KeepPlaces implements [ring.Store].
func (s *Keys) KeepPlaces(ctx context.Context, ids []string) error {
	_, err := s.db.Exec(ctx, `update svc_key_places set until = clock_timestamp() + $2 * interval '1 microsecond' where id = any ($1::text[]::uuid[])`,
		ids, ring.PlaceLife.Microseconds())
	return pg.Failed("keep the places of runs", err)
}

// NamePlace implements [ring.Store].
func (s *Keys) NamePlace(ctx context.Context, id, runID string) (own bool, err error) {
	_, err = s.db.Exec(ctx, `update svc_key_places set run = $2::text::uuid where id = $1::text::uuid`, id, runID)
	if pg.Violates(err, pg.UniqueViolation) {
		return false, s.FreePlace(ctx, id)
	}
	return err == nil, pg.Failed("leave a place to a run", err)
}

// FreePlace implements [ring.Store].
func (s *Keys) FreePlace(ctx context.Context, id string) error {
	_, err := s.db.Exec(ctx, `delete from svc_key_places where id = $1::text::uuid`, id)
	return pg.Failed("free the place of a run", err)
}
