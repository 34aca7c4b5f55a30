// Command svc-desktop is the desktop editor of Svc: a window in which workflows are
// drawn, run and looked at, on this computer or on Svc servers.
//
// The exit status is 0 when the window was closed, 1 if something failed before, and 2
// if the command line is invalid or there is no display.
//
// The window is package ui, and what it works with comes from the packages below this
// one, which only reads the command line and opens the window. Windows take a C
// compiler and the headers of the display system: built without them, the command says
// so and ends.
package main
