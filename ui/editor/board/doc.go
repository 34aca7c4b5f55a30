// Package board is one look at a document: what is selected, where the user is, and what
// the pointer and the keys do. It knows no toolkit: views feed a [Board] with events and
// paint what [Board.Draw] gives.
//
// A board is not safe for concurrent use: one goroutine, the view's, owns it and its
// document.
package board
