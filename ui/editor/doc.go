// Package editor is the state of the workflow editor without a window: the
// document being edited, its commands with undo and redo, selection, geometry,
// hit testing, gestures, problems, the overlay of a run, and the list of
// primitives to draw. It knows no toolkit: views feed it with pointer and key
// events and paint what [Board.Draw] gives.
//
// A [Document] holds a workflow and changes it by commands. A [Board] is one look
// at a document: where the user is, what is selected and what the pointer does.
// Neither is safe for concurrent use: one goroutine, the view's, owns both.
//
// Distances in the document are in dp, as the document stores them; distances on
// the screen are in pixels. At a zoom of 1 they are the same.
package editor
