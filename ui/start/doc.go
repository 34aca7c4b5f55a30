// Package start shows what can be done when no workflow is open, or an empty one: begin
// anew, open a file or a stored workflow, go on with a recent one or with unsaved work,
// or begin with a template. It opens nothing itself: whoever makes a page hands in
// functions that do.
package start
