// Package canvas shows a board of the editor in a Fyne window and feeds it with
// pointer and keys. It is the one widget that has to be fast: all that the board
// draws goes through a single renderer, which keeps its primitives and puts only
// those on the screen that are in view. Nothing is refreshed while the user drags,
// pans or zooms.
//
// All of it belongs to Fyne's own goroutine.
package canvas
