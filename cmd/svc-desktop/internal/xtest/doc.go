// Package xtest drives the built svc-desktop as users do: on an X display, with a mouse and a
// keyboard, and by looking at the pixels of the screen. It knows nothing of what the window
// shows.
//
// It needs Xvfb, xdotool and xclip, and for [Desktop.Keyring] dbus-daemon and
// gnome-keyring-daemon.
package xtest
