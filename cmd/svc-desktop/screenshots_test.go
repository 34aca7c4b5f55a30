//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// TestScreenshots takes the pictures of the documentation, if SVC_SCREENSHOTS names the
// folder for them. It needs svc-sim, which SVC_SIM names.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("SVC_SCREENSHOTS")
	if folder == "" {
		t.Skip("SVC_SCREENSHOTS names no folder; `make screenshots` sets it")
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	tests := []struct {
		name, theme string
		workflow    func(*testing.T, *xtest.Desktop) string
		do          func(*xtest.Desktop)
	}{
		{"editor-dark", "dark", social, runToItsEnd},
		{"editor-light", "light", social, runToItsEnd},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := xtest.Start(t, 1440, 900)
			d.Simulators(os.Getenv("SVC_SIM"))
			d.Setenv("FYNE_THEME", test.theme)
			p := d.Open(test.workflow(t, d))
			p.Fill("")
			d.Move(d.Size().Div(2)) // the keyboard belongs to what is under the mouse
			test.do(d)
			d.Park()
			d.Save(filepath.Join(folder, test.name+".png"), d.Settled())
			require.Zero(t, p.Stop(), p.Log())
		})
	}
}

// social is a file with a workflow that uses both networks and runs without a question.
func social(t *testing.T, d *xtest.Desktop) string {
	def, err := app.FindTemplate("search-like-message")
	require.NoError(t, err)
	text := strings.Replace(string(def.Format()), `"name": "recipient"`, `"name": "recipient", "default": "9HfGrace"`, 1)
	require.Contains(t, text, "9HfGrace")
	path := d.Home("social.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// runToItsEnd runs the workflow, seen at its own size.
func runToItsEnd(d *xtest.Desktop) {
	d.Settled()
	d.Key("ctrl+0")
	d.Key("F5")
	d.Settled()
}
