// Package record stores the state of a run for the views: the state of its nodes, the last
// steps of its loops, and the messages of its nodes. It is made from the events of a run, or
// from the result of an earlier one, and knows no window.
//
// Its size is bounded by that of the workflow, however long a loop runs: of the steps of a
// node in a loop it stores the last [MaxSteps], with at most 4 MiB of outputs, and counts
// all. It is not the journal of the run.
package record
