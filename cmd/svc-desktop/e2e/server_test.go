//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"image"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/built"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// The tests of this file work on servers, in a window of 1280×800 with dark colours.

// Where things are in the window.

func runButton() image.Rectangle   { return image.Rect(1146, 30, 1208, 64) }
func newButton() image.Rectangle   { return image.Rect(84, 116, 404, 152) }
func placeButton() image.Rectangle { return image.Rect(960, 30, 1136, 64) }
func statusBar() image.Rectangle   { return image.Rect(0, 776, 1280, 800) }
func picker() image.Rectangle      { return image.Rect(400, 76, 880, 100) }

// middle is where dialogs are.
func middle() image.Rectangle { return image.Rect(410, 220, 870, 580) }

// command runs a command of the window by its name.
func command(d *xtest.Desktop, title string) {
	d.Key("ctrl+shift+p")
	d.Type(title)
	d.Key("Return")
}

// covered reports whether a dialog is over the window, which is dimmer then: neither
// Run nor, on the start page, the button for a new workflow has its colour.
func covered(s *xtest.Screen) bool {
	return s.Count(runButton(), colorAccent)+s.Count(newButton(), colorAccent) == 0
}

func uncovered(s *xtest.Screen) bool { return !covered(s) }

// awaitDialog waits for a dialog that was not there before.
func awaitDialog(d *xtest.Desktop) { d.Await("a dialog", covered) }

// awaitPlace waits until the button that says where the user works says something else.
func awaitPlace(d *xtest.Desktop, before *xtest.Screen) {
	d.Await("another place", func(s *xtest.Screen) bool {
		return !covered(s) && !s.Same(before, placeButton()) && s.Count(statusBar(), colorError) == 0
	})
}

// server is a server with a workflow stored on it, and what it says about itself.
type server struct {
	*xtest.Server

	api *client.Client
	t   *testing.T
}

// shared is what the workflow is called.
const shared = "shared"

func newServer(t *testing.T, d *xtest.Desktop) *server {
	t.Helper()
	s := &server{Server: d.Serve(built.Program(t, "svc")), t: t}
	var err error
	s.api, err = client.New(client.Config{URL: s.Address, APIKey: s.Key})
	require.NoError(t, err)
	s.save("Shared", "")
	return s
}

// save stores the workflow behind the back of everybody else.
func (s *server) save(name, note string) {
	s.t.Helper()
	def := parsed(s.t, `{"id": "shared", "name": "`+name+`", "nodes": [
		{"id": "who", "type": "io.input", "config": {"name": "who", "type": "string", "default": "World"}, "position": {"x": 0, "y": 0}},
		{"id": "wait", "type": "control.delay", "config": {"ms": 1500}, "position": {"x": 240, "y": 0}},
		{"id": "greeting", "type": "io.output", "config": {"name": "greeting"}, "position": {"x": 480, "y": 0}}
	], "connections": [
		{"fromNodeId": "who", "fromPort": "value", "toNodeId": "wait", "toPort": "value"},
		{"fromNodeId": "wait", "fromPort": "value", "toNodeId": "greeting", "toPort": "value"}
	]}`)
	if note != "" {
		def.Notes = []workflow.Note{{ID: "note", Text: note, Position: &workflow.Position{X: 0, Y: 160}, Size: &workflow.Size{W: 240, H: 80}}}
	}
	_, err := s.api.Save(s.t.Context(), def, workflow.Condition{})
	require.NoError(s.t, err)
}

func parsed(t *testing.T, text string) *workflow.Definition {
	t.Helper()
	var def workflow.Definition
	require.NoError(t, json.Unmarshal([]byte(text), &def))
	return &def
}

// awaitNotes waits until the workflow that is stored has these notes.
func (s *server) awaitNotes(texts ...string) {
	s.t.Helper()
	var got []string
	require.Eventually(s.t, func() bool {
		def, err := s.api.Workflow(s.t.Context(), shared)
		got = nil
		for i := 0; err == nil && i < len(def.Notes); i++ {
			got = append(got, def.Notes[i].Text)
		}
		return err == nil && strings.Join(got, "|") == strings.Join(texts, "|")
	}, patience, 50*time.Millisecond, "notes %q, not %q", texts, &got)
}

// runs returns the runs that the server knows.
func (s *server) runs() []run.Record {
	page, err := s.api.Runs(s.t.Context(), run.Query{})
	require.NoError(s.t, err)
	return page.Items
}

// connect enters the address and the key of a server.
func (s *server) connect(d *xtest.Desktop, key string) {
	command(d, "Connect to a server")
	awaitDialog(d)
	d.Type(strings.TrimPrefix(s.Address, "http://")) // which people leave out
	d.Key("Tab")
	d.Type(key)
	d.Key("Return")
}

// open opens the workflow that is stored there.
func (s *server) open(d *xtest.Desktop, p *xtest.Program, name string) {
	before := d.Screen()
	d.Key("ctrl+shift+o")
	d.Await("the list of workflows", func(s *xtest.Screen) bool { return !s.Same(before, picker()) })
	d.Picture("server-stored")
	d.Type(shared)
	d.Key("Return")
	p.AwaitTitle(name + " – Svc")
}

// addNote changes the workflow that is open.
func addNote(d *xtest.Desktop, p *xtest.Program, text string) {
	d.Key("ctrl+shift+n")
	d.Type(text)
	d.Key("Escape")
	p.AwaitTitle("• ")
}

// A user enters the key of a server once, works with what is stored there, and finds it
// again the next time.
func TestWorksOnAServer(t *testing.T) {
	d := newDesktop(t)
	s := newServer(t, d)
	d.Keyring()
	p := d.Open()
	d.Move(d.Size().Div(2))
	start := d.Settled()
	s.connect(d, "not-"+s.Key)
	d.Await("what to do about the key", func(s *xtest.Screen) bool { return covered(s) && s.Count(middle(), colorError) > 40 })
	d.Picture("server-wrong-key")
	d.Key("Tab", "ctrl+a")
	d.Type(s.Key)
	d.Key("Return")
	awaitPlace(d, start)
	d.Picture("server-connected")

	s.open(d, p, "Shared")
	addNote(d, p, "Mine")
	d.Picture("server-edited")
	d.Key("ctrl+s")
	s.awaitNotes("Mine")
	s.follow(d)
	s.conflict(d, p)
	require.Zero(t, p.Stop(), p.Log())

	p = d.Open()
	d.Move(d.Size().Div(2))
	start = d.Settled()
	command(d, "Where to work")
	d.Key("Down", "Down")
	d.Picture("server-known")
	d.Key("Return")
	awaitPlace(d, start)
	s.open(d, p, "Theirs")
	addNote(d, p, "Too late")
	require.Zero(t, s.Stop(), s.Log())
	d.Key("ctrl+s")
	d.Await("that it cannot be saved", func(s *xtest.Screen) bool { return s.Count(statusBar(), colorError) > 40 })
	d.Picture("server-stopped")
	require.Zero(t, p.Stop(), p.Log())
	requireNowhere(t, d, s.Key)
	require.NotContains(t, p.Log(), s.Key)
}

// follow runs the workflow on the server, and follows its progress.
func (s *server) follow(d *xtest.Desktop) {
	d.Key("F5")
	d.Await("a node that runs", func(s *xtest.Screen) bool { return s.Count(s.Bounds(), colorRunning) > 100 })
	d.Picture("server-running")
	d.Await("nodes that went well", func(s *xtest.Screen) bool {
		return s.Count(s.Bounds(), colorOK) > 100 && !covered(s)
	})
	d.Picture("server-run")
	runs := s.runs()
	require.Len(s.t, runs, 1)
	require.Equal(s.t, engine.StatusCompleted, runs[0].Status)
	require.Equal(s.t, shared, runs[0].WorkflowID)
}

// conflict changes the workflow behind the back of the window, twice: the first time
// the user insists, the second time theirs counts.
func (s *server) conflict(d *xtest.Desktop, p *xtest.Program) {
	s.save("Shared", "Theirs")
	addNote(d, p, "Mine too")
	d.Key("ctrl+s")
	awaitDialog(d)
	d.Picture("server-conflict")
	d.Key("Tab", "Tab", "Tab", "Tab", "space")
	s.awaitNotes("Mine", "Mine too")
	d.Await("the canvas again", uncovered)

	s.save("Theirs", "")
	addNote(d, p, "Dropped")
	d.Key("ctrl+s")
	awaitDialog(d)
	d.Key("Tab", "Tab", "space")
	d.Picture("server-drop")
	d.Key("Tab", "space")
	p.AwaitTitle("Theirs – Svc")
	s.awaitNotes()
}

// requireNowhere requires that no file of the user's has a secret in it.
func requireNowhere(t *testing.T, d *xtest.Desktop, secrets ...string) {
	t.Helper()
	files := 0
	require.NoError(t, filepath.WalkDir(d.Home(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		files++
		for _, secret := range secrets {
			require.NotEmpty(t, secret)
			require.NotContains(t, string(text), secret, path)
		}
		return nil
	}))
	require.Greater(t, files, 5)
}

// The workflows of this computer can be called by its other programs, with a key that
// the window shows, until the user stops that.
func TestServesThisComputer(t *testing.T) {
	d := newDesktop(t)
	p := d.Open("template:greeting")
	d.Move(d.Size().Div(2))
	d.Settled()
	d.Key("ctrl+s")
	awaitDialog(d)
	d.Picture("serve-save")
	d.Key("Return")
	d.Await("the canvas again", uncovered)

	command(d, "Serve the workflows")
	awaitDialog(d)
	d.Picture("serve-dialog")
	address := copied(t, d, "Tab", "space")
	require.Regexp(t, `^http://127\.0\.0\.1:\d+$`, address)
	key := copied(t, d, "Tab", "space")
	require.Regexp(t, `^\S{40,}$`, key)
	d.Key("Tab", "space")
	d.Await("the canvas again", uncovered)

	d.SetClipboard("something else")
	command(d, "Copy as curl")
	require.Eventually(t, func() bool { return strings.HasPrefix(d.Clipboard(), "curl ") }, patience, 50*time.Millisecond)
	line := d.Clipboard()
	require.NotContains(t, line, key)
	require.Contains(t, line, "/workflows/greeting/run")
	require.Contains(t, shell(t, line, key), "Hello, World!")
	require.Contains(t, shell(t, line, "another"), "unauthorized")

	command(d, "Serve the workflows")
	require.Eventually(t, func() bool { return visit(address+"/health") != nil }, patience, 50*time.Millisecond, "it stops")
	require.Zero(t, p.Stop(), p.Log())
	requireNowhere(t, d, key)
}

// visit opens an address, and returns an error if nothing answers.
func visit(address string) error {
	answer, err := http.Get(address)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// copied presses keys and returns what they copy to the clipboard.
func copied(t *testing.T, d *xtest.Desktop, keys ...string) string {
	t.Helper()
	const nothing = "nothing yet"
	d.SetClipboard(nothing)
	d.Key(keys...)
	require.Eventually(t, func() bool { return d.Clipboard() != nothing }, patience, 50*time.Millisecond, "something is copied")
	return d.Clipboard()
}

// shell runs a line that was copied, as a user does who knows a key.
func shell(t *testing.T, line, key string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(os.Environ(), "SVC_API_KEY="+key)
	out, err := cmd.Output()
	require.NoError(t, err, line)
	return string(out)
}
