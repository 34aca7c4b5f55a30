//go:build cgo || ci

package main

import (
	"io/fs"
	"runtime"
	"strings"
	"time"
)

// checkDisplay returns an error that says what to do if there is no display.
func checkDisplay(env func(string) (string, bool)) error {
	switch runtime.GOOS {
	case "windows", "darwin":
		return nil // every user session has one
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

// softwarePace is the minimum interval between frames without a graphics card. Movement still
// looks smooth, for half of the cost of every frame.
const softwarePace = time.Second / 40

// pace returns the minimum interval between two frames: softwarePace if OpenGL runs in
// software, else 0. It does so if the environment asks for it, or if Linux has no graphics
// card.
func pace(env func(string) (string, bool), devices fs.FS) time.Duration {
	if asked, _ := env("LIBGL_ALWAYS_SOFTWARE"); asked == "1" || strings.EqualFold(asked, "true") {
		return softwarePace
	}
	if runtime.GOOS != "linux" {
		return 0
	}
	for _, card := range []string{"dri/render*", "nvidiactl", "dxg"} { // the last is that of WSL
		if found, _ := fs.Glob(devices, card); len(found) > 0 {
			return 0
		}
	}
	return softwarePace
}

// displayError returns the error for a panic of the toolkit about an unusable display. It
// repeats other panics.
func displayError(recovered any) error {
	err, ok := recovered.(error)
	if !ok || !strings.HasPrefix(err.Error(), "NotInitialized") && !strings.HasPrefix(err.Error(), "APIUnavailable") &&
		!strings.HasPrefix(err.Error(), "PlatformError") {
		panic(recovered)
	}
	return usagef("the display cannot be used (%w); check DISPLAY, and that it has OpenGL", err)
}
