// Package kit has the small widgets that the views of the editor share, in its own
// look: text in the parts that colours play, panels, tabs, fields with their messages,
// and the picker that finds one thing among many by typing.
//
// All of them take their colours from the theme when they are refreshed, and belong
// to Fyne's own goroutine.
package kit
