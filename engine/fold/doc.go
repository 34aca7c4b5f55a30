// Package fold computes the state of a run from its events: what each node is doing, how
// its steps ended, what it emitted, and the outcome of the run. The editor's canvas and
// panels, the progress of the command line and the recovery of interrupted runs are views
// of a [State]. The run page does the same in JavaScript; the vectors in testdata test
// both.
//
// A state has no clock and does no I/O, so the same events give the same state. Its size is
// bounded by the size of the workflow and the number of steps that run at the same time,
// however long a loop runs: for each node it keeps the running steps, the last ended step,
// and counts. Views that need more steps must keep the steps that [State.Apply] returns.
package fold
