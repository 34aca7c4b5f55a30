package main

import "runtime/debug"

// gcPercent is how much the heap of svc serve may grow between collections, in
// percent of what is alive. Go's own 100 collects so often on the small heap of a
// server that it costs a third of its throughput; 200 gives most of that back for
// a few megabytes (measured: docs/decisions.md). GOGC, if set, wins.
const gcPercent = 200

// tuneMemory applies the default.
func tuneMemory(env func(string) (string, bool)) {
	if _, set := env("GOGC"); !set {
		debug.SetGCPercent(gcPercent)
	}
}
