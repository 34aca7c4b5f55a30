// Package start is the page that is shown while no workflow, or an empty one, is open: start
// a new one, open a file or a stored workflow, continue a recent one or unsaved work, or use
// a template. The caller provides the functions that do this.
package start
