package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// takeRun makes a driver the writer of a run in a new epoch, unless another driver is alive, by the
// clock of the server. The subquery in returning still sees the previous driver.
const takeRun = `update svc_runs r set epoch = epoch + 1, takes = takes + 1, driver = $2, parked = null
	where id = $1 and finished is null and (driver is null or driver = $2
		or not exists (select from svc_leases l where l.driver = r.driver and l.until > clock_timestamp()))
	returning epoch, frames, last_frame, takes, cancelled, (select o.driver is not null from svc_runs o where o.id = r.id), ` + uptoLast

// Take implements [store.SharedRuns].
func (s *Runs) Take(ctx context.Context, runID, driver string) (store.Taken, error) {
	id, err := parseID(runID)
	if err != nil {
		return store.Taken{}, fmt.Errorf("take run: %w", err)
	}
	var t store.Taken
	var last *time.Time
	var upto int64
	err = s.db.One(ctx, takeRun, id, driver).Scan(&t.Epoch, &t.Frames, &last, &t.Takes, &t.Cancelled, &t.Lost, &upto)
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.notTaken(ctx, runID)
	}
	if err != nil {
		return store.Taken{}, pg.Failed("take run "+runID, err)
	}
	if last != nil {
		t.Last = last.UTC()
	}
	t.SharedJournal = &journal{runs: s, id: id, epoch: t.Epoch, frames: t.Frames, upto: upto, last: t.Last}
	return t, nil
}

// notTaken returns the reason why a run could not be taken.
func (s *Runs) notTaken(ctx context.Context, runID string) error {
	r, err := s.Record(ctx, runID)
	switch {
	case err != nil:
		return err
	case !r.Status.GoesOn():
		return pg.Refused(store.ErrRunEnded)
	}
	return pg.Refused(store.ErrRunDriven)
}

// Renew implements [store.SharedRuns].
func (s *Runs) Renew(ctx context.Context, driver string) error {
	about := ""
	if told := s.about.Load(); told != nil {
		about = *told
	}
	_, err := s.db.Exec(ctx, `insert into svc_leases (driver, until, about, ahead)
		values ($1, clock_timestamp() + $2 * interval '1 microsecond', $3, $4::timestamptz - clock_timestamp())
		on conflict (driver) do update set until = excluded.until, ahead = excluded.ahead,
			about = case when svc_leases.about = '' then excluded.about else svc_leases.about end`,
		driver, store.LeaseLife.Microseconds(), about, time.Now())
	return pg.Failed("renew the lease", err)
}

// Retire implements [store.SharedRuns].
func (s *Runs) Retire(ctx context.Context, driver string) error {
	_, err := s.db.Exec(ctx, `delete from svc_leases where driver = $1`, driver)
	return pg.Failed("give up the lease", err)
}

// leftRun releases a run that its driver leaves properly. The take is not counted.
const leftRun = `update svc_runs set driver = null, takes = greatest(takes - 1, 0)`

// ReleaseAllExcept implements [store.SharedRuns].
func (s *Runs) ReleaseAllExcept(ctx context.Context, driver string, but []string) error {
	_, err := s.db.Exec(ctx, leftRun+`
		where finished is null and driver = $1 and id <> all (coalesce($2::text[], '{}')::uuid[])`, driver, but)
	return pg.Failed("give up runs that nobody drives", err)
}

// Unfinished implements [store.SharedRuns].
func (s *Runs) Unfinished(ctx context.Context, limit int) ([]string, error) {
	ids, err := pg.Collect(ctx, s.db, pgx.RowTo[string], `select id::text from svc_runs r where finished is null
		and (admitted or status <> 'waiting') and (parked is null or parked <= clock_timestamp())
		and not exists (select from svc_leases l where l.driver = r.driver and l.until > clock_timestamp())
		order by started, id limit $1`, limit)
	return ids, pg.Failed("list what has not ended", err)
}

// RequestCancel implements [store.SharedRuns].
func (s *Runs) RequestCancel(ctx context.Context, runID string) error {
	id, err := parseID(runID)
	if err != nil {
		return fmt.Errorf("cancel run: %w", err)
	}
	tag, err := s.db.Exec(ctx, `update svc_runs set cancelled = true where id = $1 and finished is null`, id)
	if err == nil && tag.RowsAffected() == 0 {
		if _, err = s.Record(ctx, runID); err == nil {
			err = pg.Refused(store.ErrRunEnded)
		}
	}
	return pg.Failed("cancel run", err)
}

// Changes implements [store.SharedRuns].
func (s *Runs) Changes(ctx context.Context, runIDs []string) ([]store.Change, error) {
	known := make([]string, 0, len(runIDs))
	for _, id := range runIDs {
		if _, err := parseID(id); err == nil {
			known = append(known, id)
		}
	}
	if len(known) == 0 {
		return nil, ctx.Err()
	}
	// The range lets the planner select partitions, which it cannot do from the list.
	changes, err := pg.Collect(ctx, s.db, readChange, `select id::text, frames, status, cancelled, epoch, driver, parked
		from svc_runs where id = any (array(select unnest($1::text[])::uuid)) and id between $2::text::uuid and $3::text::uuid`, known, slices.Min(known), slices.Max(known))
	return changes, pg.Failed("look for changes", err)
}

func readChange(row pgx.CollectableRow) (c store.Change, err error) {
	var status string
	var driver *string
	var parked *time.Time
	if err := row.Scan(&c.RunID, &c.Frames, &status, &c.Cancelled, &c.Epoch, &driver, &parked); err != nil {
		return c, err
	}
	_ = c.Status.UnmarshalText([]byte(status)) // stays zero for a row that was edited by hand
	if driver != nil {
		c.Driver = *driver
	}
	if parked != nil {
		c.Parked = parked.UTC()
	}
	return c, nil
}
