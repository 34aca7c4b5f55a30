package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// inTheWay reports whether err may be about a file that somebody has open.
func inTheWay(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
