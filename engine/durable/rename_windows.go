package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// inTheWay reports whether err may mean that another program has the file open.
func inTheWay(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
