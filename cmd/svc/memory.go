package main

import "runtime/debug"

// The defaults of the garbage collector under svc serve. They give way to the
// environment variables GOGC and GOMEMLIMIT.
const (
	// gcPercent is how much the heap may grow between collections.
	gcPercent = 100
	// memoryLimit is in bytes; 0 means none.
	memoryLimit = 0
)

// tuneMemory applies the defaults.
func tuneMemory(env func(string) (string, bool)) {
	if _, set := env("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
	if _, set := env("GOMEMLIMIT"); !set && memoryLimit > 0 {
		debug.SetMemoryLimit(memoryLimit)
	}
}
