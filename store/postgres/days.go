package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/svcflow/svc/store/postgres/pg"
)

// The tables of runs are partitioned by day, by the time in the run id.

const day = 24 * time.Hour

// partitioned returns the tables that are partitioned by day.
func partitioned() []string {
	return []string{"svc_runs", "svc_starts", "svc_documents", "svc_frames", "svc_values"}
}

// days caches which days have partitions.
type days struct {
	mu   sync.Mutex
	made map[uuid.UUID]bool // by the smallest id of the day
}

func (d *days) known(first uuid.UUID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.made[first]
}

func (d *days) note(first uuid.UUID, made bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil {
		d.made = map[uuid.UUID]bool{}
	}
	if made {
		d.made[first] = true
	} else {
		delete(d.made, first)
	}
}

// timeOf returns the time in a UUIDv7.
func timeOf(id uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC()
}

// firstOf returns the smallest id of a day.
func firstOf(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(at.UTC().Truncate(day).UnixMilli())<<16)
	return id
}

// partition returns the name of the partition of a table for a day.
func partition(table string, first uuid.UUID) string {
	return table + "_" + timeOf(first).Format("20060102")
}

// makeDays creates the missing partitions of days.
func (s *Runs) makeDays(ctx context.Context, at ...time.Time) error {
	for _, t := range at {
		first := firstOf(t)
		if s.days.known(first) {
			continue
		}
		if err := s.makeDay(ctx, first); err != nil {
			return fmt.Errorf("make the tables of %s: %w", timeOf(first).Format(time.DateOnly), err)
		}
		s.days.note(first, true)
	}
	return nil
}

// makeDay creates the partitions of a day. They are created as tables and then attached, which does
// not block readers and writers.
func (s *Runs) makeDay(ctx context.Context, first uuid.UUID) error {
	next := firstOf(timeOf(first).Add(day))
	return s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('svc days', 0))`); err != nil {
			return err
		}
		for _, table := range partitioned() {
			var there bool
			name := partition(table, first)
			if err := tx.QueryRow(ctx, `select to_regclass($1) is not null`, name).Scan(&there); err != nil || there {
				return err // either all partitions of a day exist, or none
			}
			made := fmt.Sprintf(`create table %[2]s (like %[1]s including all) with (fillfactor = 80);
				alter table %[1]s attach partition %[2]s for values from ('%[3]s') to ('%[4]s')`, table, name, first, next)
			if _, err := tx.Conn().PgConn().Exec(ctx, made).ReadAll(); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropDay drops the partitions of a day if all its runs ended before until, and reports whether it
// did.
func (s *Runs) dropDay(ctx context.Context, first uuid.UUID, until time.Time) (gone bool, err error) {
	name := partition("svc_runs", first)
	empty := func(ctx context.Context, tx pgx.Tx) (is bool, err error) {
		err = tx.QueryRow(ctx, `select not exists (select from `+name+` where finished is null or finished >= $1)`, until).Scan(&is)
		return is, err
	}
	err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if is, err := empty(ctx, tx); err != nil || !is {
			return err
		}
		// While this waits for its lock, other queries queue up behind it. So do not wait long.
		if _, err := tx.Exec(ctx, `set local lock_timeout = '2s'`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `lock table `+name+` in access exclusive mode`); err != nil {
			return err
		}
		if gone, err = empty(ctx, tx); err != nil || !gone {
			return err
		}
		for _, table := range partitioned() {
			if _, err := tx.Exec(ctx, `drop table `+partition(table, first)); err != nil {
				return err
			}
		}
		return nil
	})
	if gone = gone && err == nil; gone {
		s.days.note(first, false)
	}
	return gone, err
}

// daysKept returns the smallest ids of the days that have partitions, earliest first.
func (s *Runs) daysKept(ctx context.Context) (firsts []uuid.UUID, err error) {
	ctx, cancel := s.db.Patient(ctx)
	defer cancel()
	rows, err := s.db.Pool.Query(ctx, `select right(c.relname::text, 8) from pg_inherits i
		join pg_class c on c.oid = i.inhrelid where i.inhparent = 'svc_runs'::regclass order by 1`)
	if err != nil {
		return nil, pg.Waited(ctx, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		if at, err := time.Parse("20060102", name); err == nil {
			firsts = append(firsts, firstOf(at))
		}
	}
	return firsts, pg.Waited(ctx, err)
}
