// Package machine assembles what the desktop editor works with: the workflows, runs and
// accounts of this computer, the servers of its user, and a local server for the user's other
// programs.
//
// It opens no window: the caller passes its parts to package ui.
package machine
