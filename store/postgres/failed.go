package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

	uniqueViolation  = "23505"
	checkViolation   = "23514" // also if there is no partition for a row
	lockNotAvailable = "55P03"
)

// missing reports whether err says that there is no such table.
func missing(err error) bool { return violates(err, undefinedTable) }

// isBusy reports whether others had a table for too long.
func isBusy(err error) bool { return violates(err, lockNotAvailable) }

// violates reports whether the server has answered with a code.
func violates(err error, code string) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == code
}

// failed says what failed, in the errors that package store has for it.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	answer, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case isKnown(err):
	case answered && answer.Code == diskFull:
		err = fmt.Errorf("%w: %w", syscall.ENOSPC, err)
	case !answered, passes(answer.Code):
		err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// isKnown reports whether err says what is the matter already.
func isKnown(err error) bool {
	if _, refused := errors.AsType[refusal](err); refused {
		return true
	}
	for _, k := range []error{
		workflow.ErrNotFound, workflow.ErrConflict, store.ErrDamaged, context.Canceled, context.DeadlineExceeded, store.ErrUnavailable,
		store.ErrRunNotFound, store.ErrRunDamaged, store.ErrRunGone, store.ErrInvalidCursor, fs.ErrClosed,
	} {
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

// refusal is what this package has against what is asked, however well the database does.
type refusal struct{ error }

// Unwrap returns what that is.
func (r refusal) Unwrap() error { return r.error }

// refused marks err as that.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}
