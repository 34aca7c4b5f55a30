//go:build !linux

package vfs

import "errors"

// Allocate is there for systems that can; elsewhere files grow as they are written.
func (osFile) Allocate(int64) error { return errors.ErrUnsupported }
