// Package ui is the desktop editor's window: it puts the views of its subpackages
// around the canvas and connects them with the document that is edited and with the
// backend that keeps and runs it.
//
// The package opens no window by itself and makes no backend: cmd/svc-desktop hands
// both in.
package ui
