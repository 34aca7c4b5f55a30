package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Outlook is how a database of runs is, for those who look after it.
type Outlook struct {
	Server  string    // the version of PostgreSQL
	Clock   time.Time // of the server
	Cluster string    // whose runs they are; "" if nobody has said so
	ID      string    // as Runs.ID
	Place   []string  // as Runs.Placement
	Members []Member  // the processes that have said lately that they live, by name
	// Unfinished is how many runs have not ended, and Undriven how many of them nobody drives
	// now, although they do not wait for a time.
	Unfinished, Undriven int
}

// Member is a process that lives.
type Member struct {
	Name  string
	About string        // what it tells of itself; see [Runs.Describe]
	Ahead time.Duration // of its clock, at that of the database
}

// Outlook tells how the database is. It changes nothing, and does not ask whose it is.
func (s *Store) Outlook(ctx context.Context) (o Outlook, err error) {
	d := pg.DB{Pool: s.pool, Patience: patience}
	err = d.One(ctx, `select current_setting('server_version'), clock_timestamp(), coalesce((select name from svc_cluster), ''), coalesce((select id::text from svc_cluster), ''), coalesce((select place from svc_cluster), '{}'),
		(select count(*) from svc_runs where finished is null),
		(select count(*) from svc_runs r where finished is null and (parked is null or parked <= clock_timestamp())
			and not exists (select from svc_leases l where l.driver = r.driver and l.until > clock_timestamp()))`).
		Scan(&o.Server, &o.Clock, &o.Cluster, &o.ID, &o.Place, &o.Unfinished, &o.Undriven)
	if err == nil {
		o.Members, err = pg.Collect(ctx, d, pgx.RowToStructByPos[Member], `select driver, about, ahead from svc_leases where until > clock_timestamp() order by driver`)
	}
	return o, pg.Failed("look at the database", err)
}
