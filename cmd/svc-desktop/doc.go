// Command svc-desktop is the desktop editor of Svc: a window to draw, run and inspect
// workflows on this computer or on Svc servers.
//
// The exit status is 0 when the window was closed, 1 after an error, and 2 if the command
// line is invalid or there is no display.
//
// The window is package ui; the packages below this one provide what it works with. This
// package only reads the command line and opens the window. A build needs a C compiler and
// the headers of the display system: without them, the command prints an error and exits.
package main
