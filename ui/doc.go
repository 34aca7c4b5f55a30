// Package ui is the window of the desktop editor. It arranges the views around the canvas
// and connects the packages that do the work: ui/workspace opens and saves workflows,
// ui/runs follows runs, ui/hosts knows this computer and the servers, ui/editing does what
// commands and gestures ask of the document, ui/commands lists the commands, ui/ask has the
// dialogs, and ui/job runs whatever is slow.
//
// The package opens no window by itself and makes no backend: cmd/svc-desktop hands
// both in.
package ui
