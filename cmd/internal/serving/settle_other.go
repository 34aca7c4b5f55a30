//go:build !linux

package serving

// leavePages does nothing on this system.
func leavePages() {}
