// Package board is a view of a document: the selection, the viewport, and what the pointer
// and the keys do. It knows no toolkit: views pass events to a [Board] and paint the result
// of [Board.Draw].
//
// A board is not safe for concurrent use: one goroutine, the view's, owns it and its
// document.
package board
