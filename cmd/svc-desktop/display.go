//go:build cgo || ci

package main

import (
	"runtime"
	"strings"
)

// checkDisplay says what to do if there is no display to open a window on.
func checkDisplay(env func(string) (string, bool)) error {
	switch runtime.GOOS {
	case "windows", "darwin":
		return nil // a user who has logged in has one
	}
	if display, _ := env("DISPLAY"); display != "" {
		return nil
	}
	if wayland, _ := env("WAYLAND_DISPLAY"); wayland != "" {
		return usagef("this Wayland session lets no X programs in (DISPLAY is not set); install Xwayland and log in again")
	}
	return usagef("there is no display to open a window on (DISPLAY is not set); start svc-desktop in a desktop session, " +
		"or over ssh with `ssh -X`. Without a display, use svc")
}

// displayError returns an error for what the toolkit panics with where the display
// cannot be used. Other panics go on.
func displayError(recovered any) error {
	err, ok := recovered.(error)
	if !ok || !strings.HasPrefix(err.Error(), "NotInitialized") && !strings.HasPrefix(err.Error(), "APIUnavailable") &&
		!strings.HasPrefix(err.Error(), "PlatformError") {
		panic(recovered)
	}
	return usagef("the display cannot be used (%w); check DISPLAY, and that it has OpenGL", err)
}
