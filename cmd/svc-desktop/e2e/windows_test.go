//go:build e2e && linux

package e2e_test

import (
	"image"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
)

// openTabs opens a window with two tabs, "Other" and, in front, "Greeting".
func openTabs(t *testing.T, d *xtest.Desktop) (p *xtest.Program, greeting, other string) {
	t.Helper()
	d.Setenv("FYNE_THEME", "dark")
	greeting, other = greetingFile(t, d, "flow.json"), d.Home("other.json")
	require.NoError(t, os.WriteFile(other, []byte(`{"id":"other","name":"Other","nodes":[],"connections":[]}`), 0o600))
	p = d.Open(other)
	require.Eventually(t, func() bool { text, _ := os.ReadFile(d.Home(".config", "svc", "tabs.json")); return len(text) > 3 }, patience, 50*time.Millisecond)
	p.Kill()
	p = d.Open(greeting)
	p.AwaitTitle("Greeting")
	return p, greeting, other
}

// A tab moves to another window, where it is edited, undone and saved while the first window
// shows another one; it moves back; and the windows come back after a crash.
func TestATabMovesToAnotherWindow(t *testing.T) {
	d := xtest.Start(t, 1600, 700)
	p, file, other := openTabs(t, d)
	left, right := image.Rect(0, 0, 800, 700), image.Rect(800, 0, 1600, 700)
	d.Key("alt+shift+w")
	p.Put("Other", left)
	p.Put("Greeting", right)

	p.Focus("Greeting")
	addSplit(d)
	d.Key("ctrl+s")
	awaitSaved(t, file, "the node of the second window", has("text.split"))
	p.Focus("Other")
	addSplit(d)
	d.Key("ctrl+s")
	awaitSaved(t, other, "the node of the first window", has("text.split"))
	p.Focus("Greeting")
	d.Key("ctrl+z", "ctrl+s")
	awaitSaved(t, file, "what was there before", func(def *workflow.Definition) bool { return len(def.Nodes) > 0 && !has("text.split")(def) })
	drafted := func() bool { return strings.Contains(kept(t, d.Home(".config", "svc", "drafts")), "text.split") }
	require.Eventually(t, func() bool { return !drafted() }, patience, 50*time.Millisecond, "nothing is left to keep")
	addSplit(d)
	require.Eventually(t, drafted, patience, 50*time.Millisecond)
	d.Picture("windows")
	p.Kill()

	p = d.Open()
	p.Put("Other", left)
	p.Put("• Greeting", right)
	p.Focus("Greeting")
	d.Key("alt+shift+j")
	p.AwaitTitle("• Greeting – Svc")
	require.Eventually(t, func() bool { return p.Windows() == 1 }, patience, 50*time.Millisecond, "the other one has gone")
	p.Focus("Greeting")
	d.Key("alt+shift+w")
	require.Eventually(t, func() bool { return p.Windows() == 2 }, patience, 50*time.Millisecond)
	p.Put("Greeting", right)
	p.Focus("Greeting")
	d.Key("ctrl+w", "shift+Tab", "Return") // without saving
	require.Eventually(t, func() bool { return p.Windows() == 1 }, patience, 50*time.Millisecond, "it goes with its last tab")
	p.Focus("Other")
	d.Key("ctrl+q")
	require.Zero(t, p.Wait(), p.Log())
}

// A tab moves to the window on whose row it is dropped, or to a new window outside of all
// rows.
func TestATabIsDraggedFromWindowToWindow(t *testing.T) {
	d := xtest.Start(t, 1600, 700)
	p, _, _ := openTabs(t, d)
	left, right := image.Rect(0, 0, 800, 700), image.Rect(800, 0, 1600, 700)
	p.Put("Greeting", left)
	tabIn := func(window image.Rectangle) image.Point { // the one in front has a line above it
		d.Settled() // a press on what is still being laid out goes nowhere
		row := image.Rect(window.Min.X, 74, window.Max.X, 90)
		return seen(d, "the tab in front", row, colorAccent).Add(image.Pt(0, 14))
	}

	d.Drag(tabIn(left), image.Pt(1200, 400), xtest.Left)
	require.Eventually(t, func() bool { return p.Windows() == 2 }, patience, 50*time.Millisecond, "it gets a window")
	p.Put("Other", left)
	p.Put("Greeting", right)
	d.Drag(tabIn(right), tabIn(left), xtest.Left)
	require.Eventually(t, func() bool { return p.Windows() == 1 }, patience, 50*time.Millisecond, "it goes back, and its window with it")
	p.AwaitTitle("Greeting – Svc")
	d.Picture("dropped")
	p.Focus("Greeting")
	d.Key("ctrl+q")
	require.Zero(t, p.Wait(), p.Log())
}
