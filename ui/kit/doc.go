// Package kit has the small widgets that the views of the editor share, in its own
// look: text in the parts that colours play, panels, tabs, lists, fields with their
// messages, tips, the picker that finds one thing among many by typing, and the shell
// that puts the views around the canvas. It knows nothing of workflows.
//
// All of them take their colours from the theme when they are refreshed, and belong
// to Fyne's own goroutine. It has no texts of its own: what users read is handed in.
package kit
