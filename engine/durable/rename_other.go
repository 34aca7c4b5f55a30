//go:build !windows

package durable

// inTheWay reports whether err means that another program has the file open. On this system
// that does not prevent a rename.
func inTheWay(error) bool { return false }
