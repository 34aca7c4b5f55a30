// Package runview shows what a run has done: when its nodes ran, what came out of
// them, the runs of the past, and what the next one is to be started with. It takes
// what it shows from a [record.Recorder] and never starts a run itself.
//
// All views belong to Fyne's own goroutine. Their Update methods are meant to be
// called whenever the run has gone on, up to 15 times a second, and do only the work
// for what can be seen. Close ends what a view is still waiting for.
package runview
