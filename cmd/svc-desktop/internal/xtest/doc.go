// Package xtest drives the built svc-desktop as its users do: on a display of its own,
// with a mouse and a keyboard, and with eyes for what is on the screen. It knows
// nothing of what the window shows.
//
// It needs Xvfb, xdotool and xclip, and for [Desktop.Keyring] dbus-daemon and
// gnome-keyring-daemon.
package xtest
