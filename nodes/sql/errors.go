package sqlnode

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Codes of this plugin, in addition to those of the engine.
const (
	codeSQLError = "sql_error"
	codeConflict = "conflict"
)

// shownMessage bounds what messages quote of a database's error, in bytes.
const shownMessage = 1 << 10

// wrong makes a node error of a database's or driver's error. It quotes nothing of a data
// source.
func wrong(ctx context.Context, ref credentials.Ref, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if _, known := errors.AsType[*node.Error](err); known {
		return err
	}
	code, text := classify(err)
	switch code {
	case node.CodeUnavailable:
		return node.Errorf(code, "the database of %q cannot be reached, or is overloaded%s", ref, text)
	case node.CodeReauthorize:
		return node.Permanent(node.Errorf(code, "the database does not let the credential %q in; store a new one", ref))
	}
	made := node.Errorf(code, "the database says: %s", value.Shorten(node.Redact(ctx, text), shownMessage))
	made.Permanent = code != node.CodeFailed
	return made
}

// classify returns the code of an error, and what the database itself says.
func classify(err error) (code, text string) {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return codeOfPostgres(e.Code), e.Message + " (" + e.Code + ")"
	}
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return codeOfMySQL(e.Number), e.Message
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return codeOfSQLite(e.Code()), e.Error()
	}
	switch {
	case isUnreachable(err):
		return node.CodeUnavailable, ""
	case strings.Contains(err.Error(), "failed to encode args"): // pgx, before it sends anything
		return node.CodeInvalidInput, err.Error() + "; convert the value, or write a cast such as :name::text"
	}
	return codeSQLError, err.Error()
}

func isUnreachable(err error) bool {
	_, inNetwork := errors.AsType[net.Error](err)
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	return inNetwork || connecting || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, mysql.ErrInvalidConn)
}

func codeOfPostgres(state string) string {
	switch {
	case strings.HasPrefix(state, "28"):
		return node.CodeReauthorize
	case state == "23505":
		return codeConflict
	case strings.HasPrefix(state, "08"), strings.HasPrefix(state, "53"), strings.HasPrefix(state, "57P"), state == "40001", state == "40P01", state == "55P03":
		return node.CodeUnavailable
	case strings.HasPrefix(state, "22"):
		return node.CodeInvalidInput
	}
	return codeSQLError
}

func codeOfMySQL(number uint16) string {
	switch number {
	case 1045, 1044, 1698:
		return node.CodeReauthorize
	case 1062, 1586:
		return codeConflict
	case 1040, 1203, 1205, 1213, 1053:
		return node.CodeUnavailable
	case 1264, 1366, 1406, 1292:
		return node.CodeInvalidInput
	}
	return codeSQLError
}

// codeOfSQLite takes extended result codes.
func codeOfSQLite(code int) string {
	switch code {
	case 2067, 1555: // unique, primary key
		return codeConflict
	}
	switch code & 0xff {
	case 5, 6: // busy, locked
		return node.CodeUnavailable
	case 13: // full
		return node.CodeStorageFull
	}
	return codeSQLError
}
