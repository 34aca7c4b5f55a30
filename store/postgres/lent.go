package postgres

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Lend implements [store.StateStore].
func (s *State) Lend(ctx context.Context, key store.StateKey, l store.Lent) (isNew []bool, err error) {
	if err := store.CheckStateKey(key.Key); err != nil {
		return nil, err
	}
	err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		if err = lockKey(ctx, tx, key); err == nil {
			isNew, err = lend(ctx, tx, key, l)
		}
		return err
	})
	if err != nil {
		isNew = nil
	}
	return isNew, pg.Failed("look for new items", err)
}

// items are items in their stored form and their sizes.
type items struct {
	ids   [][]byte
	sizes []int
}

func (i *items) add(id []byte, size int) {
	i.ids, i.sizes = append(i.ids, id), append(i.sizes, size)
}

// longItem is the length above which an item is stored as its SHA-256, since indexes do not accept
// long entries.
const longItem = 200

func itemsOf(texts []string) (all items) {
	for _, text := range texts {
		id := []byte(text)
		if len(id) > longItem {
			sum := sha256.Sum256(id)
			id = sum[:]
		}
		all.add(id, len(text)+itemRoom)
	}
	return all
}

// Queries for known items: seen ones, and lent ones.
const (
	touchSeen  = `update svc_seen set touched = nextval('svc_state_changes') where workflow = $1 and key = $2 and item = any ($3) returning item`
	selectLent = `select item, holder from svc_lent where workflow = $1 and key = $2 and item = any ($3) and not back and at >= $4`
)

func lend(ctx context.Context, tx pgx.Tx, key store.StateKey, l store.Lent) (isNew []bool, err error) {
	all := itemsOf(l.Items)
	known, own, err := knownItems(ctx, tx, key, all.ids, l.Holder)
	if err != nil {
		return nil, err
	}
	isNew = make([]bool, len(l.Items))
	var taken items
	for i, id := range all.ids {
		if isNew[i] = !known[string(id)]; isNew[i] && !own[string(id)] {
			taken.add(id, all.sizes[i])
		}
		known[string(id)] = true // of equal items, only the first is new
	}
	if len(taken.ids) == 0 {
		return isNew, nil
	}
	keep := max(l.Keep, len(l.Items))
	if l.Holder == "" {
		more, err := see(ctx, tx, key, taken, keep)
		if err != nil {
			return nil, err
		}
		return isNew, grow(ctx, tx, more)
	}
	rows, err := tx.Query(ctx, `insert into svc_lent (holder, workflow, key, item, size, keep, at)
		select $1, $2, $3, i.*, $6, $7 from unnest($4::bytea[], $5::int[]) i
		on conflict (holder, workflow, key, item) do update set keep = excluded.keep, at = excluded.at, back = false
		returning case when xmax = 0 then size else 0 end`, l.Holder, key.WorkflowID, key.Key, taken.ids, taken.sizes, keep, time.Now())
	if err != nil {
		return nil, err
	}
	more, err := total(rows)
	if err != nil {
		return nil, err
	}
	return isNew, grow(ctx, tx, more)
}

// knownItems returns the items that are seen or lent to others, and those that are lent to the
// holder.
func knownItems(ctx context.Context, tx pgx.Tx, key store.StateKey, ids [][]byte, holder string) (known, own map[string]bool, err error) {
	known, own = map[string]bool{}, map[string]bool{}
	rows, err := tx.Query(ctx, touchSeen, key.WorkflowID, key.Key, ids)
	if err != nil {
		return nil, nil, err
	}
	seen, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return nil, nil, err
	}
	for _, item := range seen {
		known[string(item)] = true
	}
	if rows, err = tx.Query(ctx, selectLent, key.WorkflowID, key.Key, ids, time.Now().Add(-store.LentFor)); err != nil {
		return nil, nil, err
	}
	var item []byte
	var who string
	_, err = pgx.ForEachRow(rows, []any{&item, &who}, func() error {
		if who == holder {
			own[string(item)] = true
		} else {
			known[string(item)] = true
		}
		return nil
	})
	return known, own, err
}

// see marks items as seen, and deletes those that were not present for longest if there are more
// than keep. It returns the change in size.
func see(ctx context.Context, tx pgx.Tx, key store.StateKey, taken items, keep int) (more int, err error) {
	rows, err := tx.Query(ctx, `insert into svc_seen (workflow, key, item, size) select $1, $2, i.* from unnest($3::bytea[], $4::int[]) i
		on conflict (workflow, key, item) do update set touched = nextval('svc_state_changes')
		returning case when xmax = 0 then size else 0 end`, key.WorkflowID, key.Key, taken.ids, taken.sizes)
	if err != nil {
		return 0, err
	}
	if more, err = total(rows); err != nil {
		return 0, err
	}
	rows, err = tx.Query(ctx, `delete from svc_seen where workflow = $1 and key = $2 and item in (
			select item from svc_seen where workflow = $1 and key = $2 and item <> all ($3) order by touched
			limit greatest(0, (select count(*) from svc_seen where workflow = $1 and key = $2) - $4))
		returning size`, key.WorkflowID, key.Key, taken.ids, keep)
	if err != nil {
		return 0, err
	}
	less, err := total(rows)
	return more - less, err
}

// total returns the sum of a column of numbers.
func total(rows pgx.Rows) (sum int, err error) {
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int])
	for _, n := range numbers {
		sum += n
	}
	return sum, err
}

// loan is a row of svc_lent.
type loan struct {
	key  store.StateKey
	item []byte
	size int
	keep int
}

// Settle implements [store.StateStore].
func (s *State) Settle(ctx context.Context, holder string, seen bool) error {
	if !seen {
		_, err := s.db.Exec(ctx, `update svc_lent set back = true, at = $2 where holder = $1`, holder, time.Now())
		return pg.Failed("give items back", err)
	}
	err := s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error { return settle(ctx, tx, holder) })
	return pg.Failed("have items seen", err)
}

func settle(ctx context.Context, tx pgx.Tx, holder string) error {
	rows, err := tx.Query(ctx, `select workflow, key, item, size, keep from svc_lent where holder = $1 order by workflow, key`, holder)
	if err != nil {
		return err
	}
	loans, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l loan, err error) {
		err = row.Scan(&l.key.WorkflowID, &l.key.Key, &l.item, &l.size, &l.keep)
		return l, err
	})
	if err != nil {
		return err
	}
	more := 0
	for len(loans) > 0 { // one key after the other, in order, to avoid deadlocks
		key, keep, n := loans[0].key, 0, 0
		var taken items
		for ; n < len(loans) && loans[n].key == key; n++ {
			taken.add(loans[n].item, loans[n].size)
			keep = max(keep, loans[n].keep)
		}
		if err := lockKey(ctx, tx, key); err != nil {
			return err
		}
		grown, err := see(ctx, tx, key, taken, keep)
		if err != nil {
			return err
		}
		more, loans = more+grown, loans[n:]
	}
	if rows, err = tx.Query(ctx, `delete from svc_lent where holder = $1 returning size`, holder); err != nil {
		return err
	}
	less, err := total(rows)
	if err != nil || more == less {
		return err
	}
	_, err = tx.Exec(ctx, `update svc_state_size set bytes = bytes + $1`, more-less)
	return err
}

// Relend implements [store.StateStore].
func (s *State) Relend(ctx context.Context, holder string) error {
	_, err := s.db.Exec(ctx, `update svc_lent set back = false, at = $2 where holder = $1`, holder, time.Now())
	return pg.Failed("lend items again", err)
}
