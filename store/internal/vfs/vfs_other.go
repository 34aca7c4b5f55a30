//go:build !linux

package vfs

import "errors"

// Allocate is not supported; files grow as they are written.
func (osFile) Allocate(int64) error { return errors.ErrUnsupported }
