package pg

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

// Error codes of PostgreSQL; see appendix A of its manual.
const (
	undefinedTable = "42P01"
	readOnly       = "25006"
	diskFull       = "53100"

	UniqueViolation  = "23505"
	CheckViolation   = "23514" // also returned if a row has no partition
	lockNotAvailable = "55P03"
)

// IsMissing reports whether err says that a table does not exist.
func IsMissing(err error) bool { return Violates(err, undefinedTable) }

// IsBusy reports whether a lock on a table was not available in time.
func IsBusy(err error) bool { return Violates(err, lockNotAvailable) }

// Violates reports whether err is an error of the server with the given code.
func Violates(err error, code string) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == code
}

// Failed adds what failed to err and translates errors of the database into those of package store.
func Failed(what string, err error) error {
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

// isKnown reports whether err is already an error of package store or a refusal.
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

// passes reports whether a code is about the state of the server and not about the statement: it is
// starting or shutting down, accepts no more connections, or is a read-only replica.
func passes(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P") || code == readOnly
}

// refusal is an error that does not come from an outage: the call would fail again.
type refusal struct{ error }

// Unwrap returns the cause.
func (r refusal) Unwrap() error { return r.error }

// Refused marks err as a refusal, so that [Failed] does not treat it as an outage.
func Refused(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}
