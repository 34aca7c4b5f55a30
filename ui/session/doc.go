// Package session is what goes on behind the window while a workflow is edited: it is
// checked as it changes, kept as a draft, run, and its run is followed. [Jobs] and
// [Latest] are how all views wait for what is slow. It knows no toolkit: results come
// back through a Post that the view hands in, which runs a function on the view's own
// goroutine.
package session
