package program

import "fmt"

// UsageError is a mistake in how a program was called, which ends with the status 2 for it.
type UsageError struct{ Err error }

// Usagef returns a mistake in how a program was called.
func Usagef(format string, args ...any) error { return UsageError{Err: fmt.Errorf(format, args...)} }

// Error implements error.
func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.Err }
