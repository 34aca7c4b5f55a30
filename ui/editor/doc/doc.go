// Package doc is the workflow that is being edited, without a window: its commands with
// undo and redo, the clipboard, bodies that are entered, collapsed and expanded, the ports
// of its nodes and what can be wired to them, where its cards lie, and what validation has
// found of it.
//
// A [Document] is not safe for concurrent use: one goroutine, the view's, owns it.
// Distances are in dp, as documents store them.
package doc
