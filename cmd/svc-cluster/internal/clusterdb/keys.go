package clusterdb

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Keys is a [ring.Store] for any number of processes, by the clock of the database. Make one with
// [NewKeys]. It is safe for concurrent use. While the database is unavailable, errors wrap
// store.ErrUnavailable.
type Keys struct{ db pg.DB }

var _ ring.Store = (*Keys)(nil)

// NewKeys returns the named keys in a database.
func NewKeys(db pg.DB) *Keys { return &Keys{db} }

const keysState = `select last from svc_named_keys_state`

// Keys implements [ring.Store] in one round trip.
func (s *Keys) Keys(ctx context.Context, seen int64) (all []ring.Kept, state int64, err error) {
	ctx, cancel := s.db.Patient(ctx)
	defer cancel()
	var b pgx.Batch
	b.Queue(keysState).QueryRow(func(row pgx.Row) error { return row.Scan(&state) })
	b.Queue(`select digest, about from svc_named_keys where (`+keysState+`) <> $1 order by name`, seen).Query(func(rows pgx.Rows) (err error) {
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (k ring.Kept, err error) {
			var digest []byte
			var about string
			if err = row.Scan(&digest, &about); err == nil {
				k.Key, k.Digest, err = keyOf(digest, about)
			}
			return k, err
		})
		return err
	})
	if err = pg.Waited(ctx, s.db.Pool.SendBatch(ctx, &b).Close()); err != nil {
		return nil, 0, pg.Failed("read the keys", err)
	}
	if state == seen { // the state may have changed between the two statements
		all = nil
	}
	return all, state, nil
}

func keyOf(digest []byte, about string) (k keys.Key, d ring.Digest, err error) {
	if copy(d[:], digest) != len(d) || json.Unmarshal([]byte(about), &k) != nil {
		err = pg.Refused(fmt.Errorf("%w: a row of svc_named_keys", ring.ErrDamaged))
	}
	return k, d, err
}

// Uses implements [ring.Store].
func (s *Keys) Uses(ctx context.Context) ([]keys.Key, error) {
	all, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (keys.Key, error) {
		used, err := readUse(row)
		return used.Describe(used.Key, used.now), err
	}, selectUse+` order by name`)
	if err == nil && all == nil {
		all = []keys.Key{}
	}
	return all, pg.Failed("list the keys", err)
}

const selectUse = `select digest, about, used, day, bytes, full_at, clock_timestamp() from svc_named_keys`

// keyUse is a row of svc_named_keys.
type keyUse struct {
	ring.Kept
	ring.Balance

	now time.Time
}

func readUse(row pgx.CollectableRow) (u keyUse, err error) {
	var digest []byte
	var about string
	if err = row.Scan(&digest, &about, &u.Used, &u.Day, &u.Bytes, &u.Full, &u.now); err == nil {
		u.Used = u.Used.UTC()
		u.Key, u.Digest, err = keyOf(digest, about)
	}
	return u, err
}

// AddKey implements [ring.Store].
func (s *Keys) AddKey(ctx context.Context, k ring.Kept) error {
	about, err := json.Marshal(k.Key)
	if err == nil {
		err = s.change(ctx, func(ctx context.Context, tx pgx.Tx) error {
			var taken bool
			var many int
			err := tx.QueryRow(ctx, `select count(*), coalesce(bool_or(name = $1), false) from svc_named_keys`, k.Name).Scan(&many, &taken)
			switch {
			case err != nil:
				return err
			case taken:
				return pg.Refused(ring.ErrExists)
			case many >= limit.Keys:
				return pg.Refused(ring.ErrTooMany)
			}
			_, err = tx.Exec(ctx, `insert into svc_named_keys (name, digest, about) values ($1, $2, $3)`, k.Name, k.Digest[:], string(about))
			return err
		})
	}
	return pg.Failed("add a key", err)
}

// RemoveKey implements [ring.Store].
func (s *Keys) RemoveKey(ctx context.Context, name string) error {
	err := s.change(ctx, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `delete from svc_named_keys where name = $1`, name)
		if err == nil && tag.RowsAffected() == 0 {
			err = pg.Refused(ring.ErrNotFound)
		}
		return err
	})
	return pg.Failed("remove a key", err)
}

// change changes the set of keys in a transaction that locks out other changes.
func (s *Keys) change(ctx context.Context, do func(ctx context.Context, tx pgx.Tx) error) error {
	return s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update svc_named_keys_state set last = last + 1`); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

// Account implements [ring.Store]. Other processes that use the same keys wait until it is done.
func (s *Keys) Account(ctx context.Context, claims []ring.Claim) (shares []ring.Share, err error) {
	err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		uses, err := lockUses(ctx, tx, claims)
		if err != nil {
			return err
		}
		shares = make([]ring.Share, len(claims))
		for i := range claims {
			u := uses[claims[i].Key]
			if shares[i].Gone = u == nil; u != nil {
				shares[i] = u.Account(&u.Budget, &claims[i], u.now)
			}
		}
		return saveUses(ctx, tx, uses)
	})
	return shares, pg.Failed("count the use of keys", err)
}

// lockUses reads and locks the rows of keys, in a fixed order to avoid deadlocks.
func lockUses(ctx context.Context, tx pgx.Tx, claims []ring.Claim) (map[ring.Digest]*keyUse, error) {
	digests := make([][]byte, len(claims))
	for i := range claims {
		digests[i] = claims[i].Key[:]
	}
	rows, err := tx.Query(ctx, selectUse+` where digest = any ($1) order by digest for update`, digests)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, readUse)
	uses := make(map[ring.Digest]*keyUse, len(all))
	for i := range all {
		uses[all[i].Digest] = &all[i]
	}
	return uses, err
}

func saveUses(ctx context.Context, tx pgx.Tx, uses map[ring.Digest]*keyUse) error {
	var b pgx.Batch
	for digest, u := range uses {
		b.Queue(`update svc_named_keys set used = $2, day = $3, bytes = $4, full_at = $5 where digest = $1`,
			digest[:], u.Used, u.Day, u.Bytes, u.Full)
	}
	_, err := pg.Sent(ctx, tx, &b)
	return err
}
