// Package record keeps what a run has done, for the views that tell of it: the state of
// the run, and beyond that the last steps of its loops and what its nodes have said. It is
// made from the events of a run, or from the result of a past one, and knows no window.
//
// What it keeps is bounded by the size of the workflow, however long a loop runs: of
// the steps of a node in a loop the last [MaxSteps] are kept, with at most 4 MiB of
// outputs, and the numbers of all. It is not the journal of the run.
package record
