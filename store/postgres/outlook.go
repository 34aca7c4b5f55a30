package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Outlook is the state of a database of runs, for operators.
type Outlook struct {
	Server  string    // version of PostgreSQL
	Clock   time.Time // of the server
	Cluster string    // cluster that owns the runs; "" if none is set
	ID      string    // as Runs.ID
	Place   []string  // as Runs.Placement
	Members []Member  // live processes, by name
	// Unfinished is the number of unfinished runs. Undriven is how many of them have no live driver
	// although they are not parked.
	Unfinished, Undriven int
}

// Member is a live process.
type Member struct {
	Name  string
	About string        // its description; see [Runs.Describe]
	Ahead time.Duration // of its clock, relative to that of the database
}

// Outlook returns the state of the database. It changes nothing, and works for any cluster.
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
