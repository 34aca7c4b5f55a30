//go:build screenshots && linux

package screenshots_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/built"
	"github.com/svcflow/svc/cmd/internal/docstest"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// TestScreenshots takes the pictures of the documentation; `make screenshots` runs it.
func TestScreenshots(t *testing.T) {
	folder := filepath.Join(docstest.Root(t), "docs", "screenshots")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for name, theme := range map[string]string{"editor-dark": "dark", "editor-light": "light"} {
		t.Run(name, func(t *testing.T) {
			d := xtest.Start(t, 1440, 900)
			d.Simulators(built.Program(t, "svc-sim"))
			d.Setenv("FYNE_THEME", theme)
			p := d.Open(thanks(t, d))
			p.Fill("")
			d.Move(d.Size().Div(2)) // the keyboard belongs to what is under the mouse
			d.Settled()
			d.Key("ctrl+Return")
			d.Settled()
			find(d, "Send a message")
			d.Park()
			d.Save(filepath.Join(folder, name+".png"), d.Settled())
			require.Zero(t, p.Stop(), p.Log())
		})
	}
}

// thanks is a file with a workflow that uses both networks.
func thanks(t *testing.T, d *xtest.Desktop) string {
	text, err := os.ReadFile(filepath.Join("testdata", "thank-the-fans.json"))
	require.NoError(t, err)
	path := d.Home("thank-the-fans.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// find goes to the node of that name.
func find(d *xtest.Desktop, name string) {
	d.Key("ctrl+shift+p")
	d.Settled()
	d.Type(name)
	d.Settled()
	d.Key("Return")
	d.Settled()
}
