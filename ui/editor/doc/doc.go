// Package doc is the document of the editor, without a window: a workflow with its editing
// commands, undo and redo, the clipboard, entering, collapsing and expanding bodies, the
// ports of nodes and possible wires, the positions of cards, and the problems of validation.
//
// A [Document] is not safe for concurrent use: one goroutine, the view's, owns it. Distances
// are in dp, as documents store them.
package doc
