package clusterdb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Windows is a [service.Windows] for any number of processes, by the clock of the database. Make
// one with [NewWindows]. It is safe for concurrent use. While the database is unavailable, errors
// wrap store.ErrUnavailable.
type Windows struct{ db pg.DB }

var _ service.Windows = (*Windows)(nil)

// NewWindows returns the rate windows of accounts in a database.
func NewWindows(db pg.DB) *Windows { return &Windows{db} }

// Lease implements [service.Windows] in one round trip. Other calls for the same account wait until
// it is done.
func (s *Windows) Lease(ctx context.Context, c service.Claim) (service.Grant, error) {
	ctx, cancel := s.db.Patient(ctx)
	defer cancel()
	g := service.Grant{Closed: map[string]time.Duration{}}
	err := pg.Waited(ctx, s.db.Pool.SendBatch(ctx, claimed(&c, &g)).Close())
	if err != nil {
		g = service.Grant{}
	}
	return g, pg.Failed("lease places of a window", err)
}

// claimed returns the statements of a claim, which run as one transaction and fill g.
func claimed(c *service.Claim, g *service.Grant) *pgx.Batch {
	var b pgx.Batch
	b.Queue(`select pg_advisory_xact_lock(hashtextextended('svc window ' || $1, 0))`, c.Account)
	noteLeased(&b, c)
	noteClosed(&b, c)
	if c.Waiting+c.Ahead > 0 {
		grant(&b, c, g)
	}
	b.Queue(`select call, `+microseconds(`until - clock_timestamp()`)+` from svc_closed_calls where account = $1 and until > clock_timestamp()`, c.Account).
		Query(func(rows pgx.Rows) error {
			var call string
			var wait int64
			_, err := pgx.ForEachRow(rows, []any{&call, &wait}, func() error {
				g.Closed[call] = time.Duration(wait) * time.Microsecond
				return nil
			})
			return err
		})
	return &b
}

// microseconds returns SQL for the length of an interval in microseconds.
func microseconds(interval string) string {
	return `ceil(extract(epoch from ` + interval + `) * 1000000)::bigint`
}

// leased returns how long a leased request slot stays closed if its use is never reported, in
// microseconds.
func leased(c *service.Claim) int64 { return (service.LeaseLife + c.Window.Per).Microseconds() }

// noteLeased stores what the holder reports about its request slots.
func noteLeased(b *pgx.Batch, c *service.Claim) {
	if len(c.Held) > 0 {
		b.Queue(`update svc_windows set opens = clock_timestamp() + $4 * interval '1 microsecond'
			where account = $1 and holder = $2::text::uuid and place = any ($3::int[])`, c.Account, c.Holder, c.Held, leased(c))
	}
	if len(c.Unused) > 0 {
		b.Queue(`delete from svc_windows where account = $1 and holder = $2::text::uuid and place = any ($3::int[])`, c.Account, c.Holder, c.Unused)
	}
	if len(c.Answered) == 0 {
		return
	}
	var places []int
	var ago []int64
	for n, d := range c.Answered {
		places, ago = append(places, n), append(ago, (c.Window.Per-d).Microseconds())
	}
	b.Queue(`update svc_windows w set opens = clock_timestamp() + a.opens * interval '1 microsecond', holder = null
		from unnest($3::int[], $4::bigint[]) a (place, opens)
		where w.account = $1 and w.holder = $2::text::uuid and w.place = a.place`, c.Account, c.Holder, places, ago)
}

// noteClosed stores which calls the network refuses for a while.
func noteClosed(b *pgx.Batch, c *service.Claim) {
	if len(c.Closed) == 0 {
		return
	}
	var calls []string
	var waits []int64
	for call, wait := range c.Closed {
		calls, waits = append(calls, call), append(waits, wait.Microseconds())
	}
	b.Queue(`insert into svc_closed_calls as c (account, call, until)
		select $1, a.call, clock_timestamp() + a.wait * interval '1 microsecond' from unnest($2::text[], $3::bigint[]) a (call, wait)
		on conflict (account, call) do update set until = greatest(c.until, excluded.until)`, c.Account, calls, waits)
}

// grant leases request slots to the holder, some of them ahead as limited by [service.AheadOf], and
// reads when the next slot opens.
func grant(b *pgx.Batch, c *service.Claim, g *service.Grant) {
	b.Queue(`with open as (select n from generate_series(0, $3 - 1) n
			where not exists (select from svc_windows where account = $1 and place = n and opens > clock_timestamp())),
		many as (select count(*) as many from open)
		insert into svc_windows (account, place, opens, holder)
		select $1, n, clock_timestamp() + $4 * interval '1 microsecond', $2::text::uuid from open order by n
		limit (select least(many, $5 + least($6, greatest(0, many - $5) / $7)) from many)
		on conflict (account, place) do update set opens = excluded.opens, holder = excluded.holder returning place`,
		c.Account, c.Holder, c.Window.Requests, leased(c), c.Waiting, c.Ahead, service.AheadOf).
		Query(func(rows pgx.Rows) (err error) {
			g.Places, err = pgx.CollectRows(rows, pgx.RowTo[int])
			return err
		})
	b.Queue(`select `+microseconds(`opens - clock_timestamp()`)+` from svc_windows
		where account = $1 and place < $2 and opens > clock_timestamp() order by opens limit 1`, c.Account, c.Window.Requests).
		QueryRow(func(row pgx.Row) error {
			var opens int64
			err := row.Scan(&opens)
			g.Opens = time.Duration(opens) * time.Microsecond
			if errors.Is(err, pgx.ErrNoRows) { // all slots are open
				err = nil
			}
			return err
		})
}
