// Package canvas shows a board of the editor in a Fyne window and passes pointer and key
// events to it. It is the one widget that has to be fast: a single renderer paints everything
// the board draws, reuses its primitives, and keeps only those in view on the screen. Nothing
// is refreshed while the user drags, pans or zooms.
//
// All of it belongs to Fyne's own goroutine.
package canvas
