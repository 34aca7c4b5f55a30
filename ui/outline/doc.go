// Package outline lists what is on the canvas, as a second way to reach all of it by
// keys and by reading: the nodes, groups and notes of the level, and the problems of the
// workflow. It says what the user wants to see; it changes no document and no
// selection.
package outline
