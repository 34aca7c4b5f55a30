package node

import (
	"errors"
	"fmt"
	"time"
)

// Codes of failures known to the engine (docs/design.md, Execution). Plugins add their own
// and document them.
const (
	CodeFailed         = "failed"
	CodeInvalidConfig  = "invalid_config" // at validation
	CodeInvalidInput   = "invalid_input"
	CodeTypeError      = "type_error"
	CodeNotFinite      = "not_finite"
	CodeTimeout        = "timeout"
	CodePanic          = "panic"
	CodeForbidden      = "forbidden"
	CodeLimitExceeded  = "limit_exceeded"
	CodeUnavailable    = "unavailable"
	CodeReauthorize    = "reauthorize"
	CodeRateLimited    = "rate_limited"
	CodeOutcomeUnknown = "outcome_unknown" // unknown whether an attempt had its side effect
	CodeInterrupted    = "interrupted"     // of a run: its server stopped or crashed
	CodeStorageFull    = "storage_full"    // of a run: its journal cannot be written
	CodeDamaged        = "damaged"         // of a run: its journal cannot be read
)

// Error is a failure with a stable code, on which workflows can branch. Its message is
// shown to users: it says what to do and contains no secrets.
type Error struct {
	Code    string
	Message string
	// Permanent failures are not retried.
	Permanent bool
	// RetryAfter is the delay that the other side asks for; zero means that it does not. It
	// takes precedence over the pauses of the node's retry settings. If it is longer than
	// the node's timeout, there is no retry.
	RetryAfter time.Duration
	// Err is the cause, if any; it is for errors.Is and never shown.
	Err error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Forbidden reports whether the error has the code forbidden, for packages that do not
// know nodes.
func (e *Error) Forbidden() bool { return e.Code == CodeForbidden }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an [*Error]. A %w in the format becomes its cause.
func Errorf(code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), Err: errors.Unwrap(err)}
}

// permanent marks an error that must not be retried.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent marks err as not to be retried, whatever the node's retry settings.
// Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// IsPermanent reports whether err must not be retried: it was marked by [Permanent], or its
// code means that the same inputs will fail the same way.
func IsPermanent(err error) bool {
	if errors.As(err, new(permanent)) {
		return true
	}
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case CodeTypeError, CodeInvalidInput, CodeInvalidConfig, CodeForbidden:
		return true
	}
	return e.Permanent
}

// CodeOf returns the code of err: that of the first [*Error] in its chain, else
// [CodeFailed].
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeFailed
}

// RetryAfter returns the [Error.RetryAfter] of the first [*Error] in the chain of err,
// else zero.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
