// Package ui is the desktop editor's window: the hall that its rooms open onto. What is
// worked on is the business of ui/desk, runs that of ui/runs, where workflows are kept
// that of ui/places, what commands and gestures do to a document that of ui/hand, and the
// table of commands that of ui/commands; dialogs are in ui/ask, and what is slow goes
// through ui/job. This package puts the views around the canvas and connects the rooms
// with them and with each other.
//
// The package opens no window by itself and makes no backend: cmd/svc-desktop hands
// both in.
package ui
