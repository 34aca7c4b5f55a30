// Package machine puts together what the desktop editor works with: the workflows,
// runs and accounts of this computer, the servers that its user works with, and a
// server of its own for the user's other programs.
//
// It opens no window. Whoever does gives what it makes to package ui.
package machine
