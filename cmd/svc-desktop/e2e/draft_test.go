//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"image"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
)

// greetingFile writes the simplest template to a file and returns its path.
func greetingFile(t *testing.T, d *xtest.Desktop, name string) string {
	t.Helper()
	def, err := app.FindTemplate("greeting")
	require.NoError(t, err)
	path := d.Home(name)
	require.NoError(t, os.WriteFile(path, def.Format(), 0o600))
	return path
}

// has reports whether a workflow has a node of a type.
func has(typ string) func(*workflow.Definition) bool {
	return func(def *workflow.Definition) bool {
		return slices.ContainsFunc(def.Nodes, func(n workflow.Node) bool { return n.Type == typ })
	}
}

// addSplit adds a node that no other step adds.
func addSplit(d *xtest.Desktop) {
	d.Key("ctrl+i")
	d.Type("text.split")
	d.Key("Return")
}

// Unsaved changes survive a crash, and are saved only when the user says so.
func TestRestoresADraft(t *testing.T) {
	d := newDesktop(t)
	file := greetingFile(t, d, "flow.json")
	before, err := os.ReadFile(file)
	require.NoError(t, err)

	p := d.Open(file)
	addSplit(d)
	require.Eventually(t, func() bool { return strings.Contains(kept(t, d.Home(".config", "svc", "drafts")), "text.split") },
		patience, 50*time.Millisecond, "the draft is kept")
	p.Kill()

	p = d.Open()
	p.AwaitTitle("•") // it is open again
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(now), "nobody has saved yet")

	d.Key("ctrl+s")
	awaitSaved(t, file, "the new node", has("text.split"))
	require.Zero(t, p.Stop(), p.Log())
	require.NotContains(t, kept(t, d.Home(".config", "svc", "drafts")), "text.split", "the draft is not needed any more")
}

// Closing the window asks about what is not saved.
func TestAsksBeforeItCloses(t *testing.T) {
	d := newDesktop(t)
	file := greetingFile(t, d, "flow.json")
	before, err := os.ReadFile(file)
	require.NoError(t, err)

	p := d.Open(file)
	p.AwaitTitle("Greeting")
	d.Key("ctrl+q") // nothing was changed, nothing is asked
	require.Zero(t, p.Wait(), p.Log())

	p = d.Open(file)
	addSplit(d)
	p.AwaitTitle("•")
	d.Key("ctrl+q", "Escape")              // not yet
	d.Key("ctrl+q", "shift+Tab", "Return") // without saving
	require.Zero(t, p.Wait(), p.Log())
	now, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(now))

	p = d.Open(file)
	addSplit(d)
	p.AwaitTitle("•")
	d.Key("ctrl+q", "Return") // saves, which is what is offered first
	require.Zero(t, p.Wait(), p.Log())
	awaitSaved(t, file, "the new node", has("text.split"))
}

func TestUndoesByKeys(t *testing.T) {
	d := newDesktop(t)
	file := greetingFile(t, d, "flow.json")
	p := d.Open(file)
	hasNot := func(def *workflow.Definition) bool { return len(def.Nodes) > 0 && !has("text.split")(def) }
	addSplit(d)
	d.Key("ctrl+s")
	awaitSaved(t, file, "the new node", has("text.split"))
	d.Key("ctrl+z", "ctrl+s")
	awaitSaved(t, file, "what was there before", hasNot)
	d.Key("ctrl+y", "ctrl+s")
	awaitSaved(t, file, "the new node again", has("text.split"))
	require.Zero(t, p.Stop(), p.Log())
}

// Nodes travel from window to window through the clipboard, as JSON that other programs
// can read.
func TestCopiesToAnother(t *testing.T) {
	d := xtest.Start(t, 1600, 700)
	left, right := image.Rect(0, 0, 800, 700), image.Rect(800, 0, 1600, 700)
	from, to := greetingFile(t, d, "from.json"), d.Home("to.json")
	require.NoError(t, os.WriteFile(to, []byte(`{"id":"empty","name":"Empty","nodes":[],"connections":[]}`), 0o600))
	a := d.Open(from)
	a.Put("Greeting", left)
	b := d.Launch(to)
	b.Put("Empty", right)

	a.Focus("Greeting")
	d.Key("ctrl+a", "ctrl+c")
	require.Eventually(t, func() bool { return json.Valid([]byte(d.Clipboard())) }, patience, 50*time.Millisecond)
	require.Contains(t, d.Clipboard(), "text.format")
	b.Focus("Empty")
	d.Key("ctrl+v", "ctrl+s")
	awaitSaved(t, to, "the nodes of the other window", has("text.format"))
}
