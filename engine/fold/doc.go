// Package fold makes the state of a run of its events: what each node is doing, how its
// steps have ended, what it has given, and what came of the whole. There is one such
// fold: the canvas and the panels of the editor, the progress of the command line and
// the recovery of a run whose process has died are views of a [State]. The run page does
// the same in JavaScript, held against this package by the vectors in testdata.
//
// A state is pure: it has no clock and does no I/O, so the same events give the same
// state. It is bounded by the size of the workflow and by how much of it is running at
// once, however long a loop runs: of the steps of a node it keeps those that are running,
// the last that has ended, and counts of all. A view that wants more of them keeps what
// [State.Apply] hands out.
package fold
