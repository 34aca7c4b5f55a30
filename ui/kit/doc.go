// Package kit has the small widgets that the views of the editor share: text in semantic
// colours, panels, tabs, lists, fields with their messages, tips, the picker that finds one
// thing among many by typing, and the shell that arranges the views around the canvas. It
// knows nothing of workflows.
//
// All widgets take their colours from the theme when they are refreshed, and belong to Fyne's
// own goroutine. Callers pass all texts that users read.
package kit
