//go:build e2e && linux

package e2e_test

import (
	"testing"
	"time"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// patience is how long something may take that cannot be seen on the screen.
const patience = time.Minute

// The colours of the dark theme that tests look for.
const (
	colorAccent  = 0x4C8DFF
	colorOK      = 0x49BC5A // as texts have it
	colorError   = 0xF18A87 // as texts have it
	colorRunning = 0xE3A008

	// Ports, by their types.
	colorString = 0x7FB069
	colorAny    = 0x9AA3B2
)

// newDesktop is a desktop for a window of 1280×800 with dark colours.
func newDesktop(t *testing.T) *xtest.Desktop {
	t.Helper()
	d := xtest.Start(t, 1280, 800)
	d.Setenv("FYNE_THEME", "dark")
	return d
}
