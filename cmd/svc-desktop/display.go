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

// softwarePace is the pace of a window that is drawn by processors: at that of a film what moves
// looks as it should, for half of what each picture would take.
const softwarePace = time.Second / 40

// pace returns how long after a picture of something that moves the next one may be drawn:
// where OpenGL is done in software, not with each frame of the screen. There is one if it is
// asked for, or if Linux has no graphics card.
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
