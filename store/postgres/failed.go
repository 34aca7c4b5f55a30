package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// ErrAddress says that the address of a database cannot be understood. It does not repeat
// it, as of a text that cannot be understood nobody knows which part is the password.
var ErrAddress = errors.New("the address of the database cannot be understood; it looks like postgres://user@host:5432/name")

// Codes of PostgreSQL, appendix A of its manual.
const (
	undefinedTable = "42P01"
	readOnly       = "25006"
	diskFull       = "53100"
)

// missing reports whether err says that there is no such table.
func missing(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == undefinedTable
}

// failed says what failed, in the errors that package store has for it.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	answer, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case oneOf(err, workflow.ErrNotFound, workflow.ErrConflict, store.ErrDamaged, context.Canceled, context.DeadlineExceeded):
	case answered && answer.Code == diskFull:
		err = fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	case !answered, passes(answer.Code):
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

func oneOf(err error, known ...error) bool {
	for _, k := range known {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}

// passes reports whether a code tells of the server and not of what was asked: it goes
// down, it comes up, it takes no more connections, it is a copy that can only be read.
func passes(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P") || code == readOnly
}
