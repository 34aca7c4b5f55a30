//go:build !linux

package serving

// shortTurns does nothing on this system.
func shortTurns() {}
