// Package inspector shows the selection of a board and edits it: a node with a field for each
// of its inputs, made from the node's type; a note, a group, a wire; or the workflow itself.
//
// It keeps no copy of the document: each change is a command of the [doc.Document], and the
// fields are read from there again. It neither validates nor runs anything; [Config] has the
// functions that ask for files and accounts.
//
// All of it belongs to Fyne's own goroutine.
package inspector
