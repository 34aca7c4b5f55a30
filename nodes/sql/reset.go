package sqlnode

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/svcflow/svc/engine/node"
)

// resetTimeout bounds how long a connection may take to be reset.
const resetTimeout = 5 * time.Second

// release gives a connection back. The next user of the connection must not meet what the
// statements left: settings, temporary tables, locks or an open transaction. PostgreSQL can
// reset a session. MySQL and SQLite cannot, so their connections are closed. It returns an
// error if a statement left a transaction open, because its changes are rolled back.
func (s *session) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetTimeout)
	defer cancel()
	defer s.Close() //nolint:errcheck // it is back in its pool, or broken
	var open bool
	_ = s.Raw(func(c any) error { // the error closes the connection
		switch c := c.(type) {
		case *stdlib.Conn:
			open = isOpen(c.Conn())
			if !open && (s.meter == nil || s.meter.peak.Load() < largeMessage) && resetPostgres(ctx, c.Conn()) == nil {
				return nil
			}
		case driver.ExecerContext:
			if s.network == "sqlite" {
				_, err := c.ExecContext(ctx, "ROLLBACK", nil) // fails if no transaction is open
				open = err == nil
			}
		}
		return driver.ErrBadConn
	})
	if open {
		return errOpen()
	}
	return nil
}

func errOpen() error {
	return node.Permanent(node.Errorf(node.CodeInvalidConfig,
		"the statement left a transaction open, so the database has rolled it back; write one statement without BEGIN, or give sql.exec a list of records, which it carries out in one transaction"))
}

// isOpen reports whether a connection that still works has a transaction that did not end.
func isOpen(c *pgx.Conn) bool { return !c.IsClosed() && c.PgConn().TxStatus() != 'I' }

// resetPostgres takes a session back to how it was when it began. The client's list of
// prepared statements has to go with those of the server.
func resetPostgres(ctx context.Context, c *pgx.Conn) error {
	if err := c.DeallocateAll(ctx); err != nil {
		return err
	}
	return c.PgConn().Exec(ctx, "DISCARD ALL").Close()
}
