// Package runview shows runs: when nodes ran, their outputs, earlier runs, and the inputs of
// the next run. It shows a [record.Recorder] and never starts a run itself.
//
// All views belong to Fyne's own goroutine. Call their Update methods after each progress of
// the run, up to 15 times a second: they do only the work for what is visible. Close cancels
// what a view is still loading.
package runview
