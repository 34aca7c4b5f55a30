//go:build !linux

package apart

import "os/exec"

// This system has no such limits, or does not enforce them; those of the engine remain.

func confine() {}

// Limit does nothing on this system.
func Limit(int) {}

func apart(*exec.Cmd) {}
