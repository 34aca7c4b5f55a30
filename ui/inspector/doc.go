// Package inspector shows what is selected on a board and changes it: a node with a
// field for each of its inputs, made from the node's type; a note, a group, a wire;
// or the workflow itself.
//
// It keeps no state of the document: each change is a command of the
// [editor.Document], and what is shown is read from there again. It neither validates
// nor runs anything, and whom to ask for files and accounts is told to it by [Config].
//
// All of it belongs to Fyne's own goroutine.
package inspector
