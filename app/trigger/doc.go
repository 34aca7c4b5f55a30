// Package trigger lets the triggers of active workflows fire. It keeps which workflows are
// active, waits for what their sources tell, and has runs started for it, so that nothing
// that happened is lost, and nothing makes two runs.
//
// It knows sources by their kind and no node types, and starts no run itself: its [Host]
// does. What a trigger remembers is on the disk before anything comes of it: the last time
// that is dealt with, the firings that wait for a place, and the runs that go on.
package trigger
