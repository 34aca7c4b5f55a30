// Package outline lists the contents of the canvas, so that all of it can be reached by keys
// and screen readers: the nodes, groups and notes of the level, and the problems of the
// workflow. It reports what the user wants to see, and changes neither document nor
// selection.
package outline
