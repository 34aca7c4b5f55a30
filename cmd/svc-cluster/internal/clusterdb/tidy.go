// Package clusterdb implements what the members of a cluster share in their PostgreSQL database
// beside workflows and runs: named keys with their run slots, the audit log, logins in progress,
// and rate windows of accounts. The tables are made by postgres.Migrate.
package clusterdb

import (
	"context"

	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Tidy deletes expired rows. Pass it to postgres.RunOptions as AlsoTidy.
func Tidy(ctx context.Context, db pg.DB) error {
	expired := []struct {
		query string
		args  []any
	}{
		{query: `delete from svc_windows where opens <= clock_timestamp()`},
		{query: `delete from svc_closed_calls where until <= clock_timestamp()`},
		{query: freePlaces},
		{query: `delete from svc_audit where id <= (select max(id) from svc_audit) - $1`, args: []any{AuditLines}},
		{query: `delete from svc_logins where until + $1 * interval '1 microsecond' <= clock_timestamp()`, args: []any{oauth.OutcomeLife.Microseconds()}},
	}
	for _, e := range expired {
		if _, err := db.Exec(ctx, e.query, e.args...); err != nil {
			return err
		}
	}
	return nil
}
