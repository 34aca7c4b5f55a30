//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
)

// A workflow is drawn with the mouse, and nothing but its text is typed.
func TestBuildsAWorkflowByMouse(t *testing.T) {
	d := newDesktop(t)
	p := d.Open()
	d.Click(seen(d, "the button for a new workflow", image.Rect(0, 80, 400, 200), colorAccent))
	p.AwaitTitle("Untitled")

	first, second, third := image.Pt(330, 180), image.Pt(560, 180), image.Pt(820, 180)
	d.Click(image.Pt(116, 146))
	d.Type("io.input")
	d.Drag(image.Pt(80, 200), first, xtest.Left)
	fill(d, "who")
	d.Click(image.Pt(1120, 480)) // its value if there is no other
	d.Type(`"World"`)
	pick(d, second, "text.format")
	fill(d, "Hello, {who}!")
	pick(d, third, "io.file_write")
	fill(d, "hello.txt")

	const half = 110 // of a card, with its ports
	d.Drag(
		seen(d, "the output of the input", image.Rect(first.X, 100, second.X-half, 400), colorAny),
		seen(d, "the placeholder's input", image.Rect(second.X-half, 100, second.X, 400), colorAny),
		xtest.Left)
	into := place(d, "inputs for text", image.Rect(third.X-100, 100, third.X, 400), colorString).Min
	const port, row = 5, 24
	d.Drag(
		seen(d, "the text", image.Rect(second.X, 100, third.X-100, 400), colorString),
		into.Add(image.Pt(port, port+row)),
		xtest.Left)

	d.Click(seen(d, "the button to run", image.Rect(900, 26, 1280, 74), colorAccent))
	awaitFile(t, d.Home("hello.txt"), "Hello, World!")
	d.Await("nodes that went well", func(s *xtest.Screen) bool { return s.Count(s.Bounds(), colorOK) > 100 })

	d.Click(image.Pt(1242, 48)) // save
	d.Type("By mouse")
	d.Click(seen(d, "the button of the dialog", image.Rect(640, 480, 900, 560), colorAccent))
	p.AwaitTitle("By mouse")
	checkGreeting(t, stored(t, d, "by-mouse"))
	require.Zero(t, p.Stop(), p.Log())
}

// place waits for a colour in a part of the screen and returns its bounds.
func place(d *xtest.Desktop, what string, part image.Rectangle, rgb uint32) image.Rectangle {
	return d.Await(what, func(s *xtest.Screen) bool { return !s.Where(part, rgb).Empty() }).Where(part, rgb)
}

// seen returns the middle of place.
func seen(d *xtest.Desktop, what string, part image.Rectangle, rgb uint32) image.Point {
	at := place(d, what, part, rgb)
	return at.Min.Add(at.Max).Div(2)
}

// fill types into the first field of the inspector that says that it lacks something.
func fill(d *xtest.Desktop, text string) {
	inspector := image.Rect(970, 120, 1280, 760)
	complaint := place(d, "a field that is to be filled in", inspector, colorError) // below the field
	const above = 18
	d.Click(image.Pt(1080, complaint.Min.Y-above))
	d.Type(text)
}

// pick adds a node by a double click on the canvas.
func pick(d *xtest.Desktop, at image.Point, typ string) {
	before := d.Screen()
	d.DoubleClick(at)
	list := image.Rect(20, 10, 300, 80).Add(at)
	d.Await("a list of nodes", func(s *xtest.Screen) bool { return !s.Same(before, list) })
	d.Type(typ)
	d.Click(at.Add(image.Pt(100, 62))) // the first of those that match
}

// awaitFile waits until there is a file with this text.
func awaitFile(t *testing.T, path, want string) {
	t.Helper()
	var text []byte
	require.Eventually(t, func() bool {
		text, _ = os.ReadFile(path)
		return string(text) == want
	}, patience, 20*time.Millisecond, "%s is to hold %q; it holds %s", path, want, held{&text})
}

// awaitSaved waits until the file that a pattern names holds a workflow that is as it
// should be.
func awaitSaved(t *testing.T, pattern, what string, so func(*workflow.Definition) bool) (def *workflow.Definition) {
	t.Helper()
	require.Eventually(t, func() bool {
		def = &workflow.Definition{}
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) != 1 {
			return false
		}
		text, err := os.ReadFile(found[0])
		return err == nil && json.Unmarshal(text, def) == nil && so(def)
	}, patience, 20*time.Millisecond, "%s is to hold %s", pattern, what)
	return def
}

// stored waits until a workflow is stored on this computer and returns it.
func stored(t *testing.T, d *xtest.Desktop, id string) *workflow.Definition {
	t.Helper()
	return awaitSaved(t, d.Home(".local", "share", "svc", "workflows", id+"-*.json"), "the workflow", func(def *workflow.Definition) bool { return def.ID == id })
}

// checkGreeting checks the workflow that tests draw: it writes a greeting to a file.
func checkGreeting(t *testing.T, def *workflow.Definition) {
	t.Helper()
	require.Len(t, def.Nodes, 3)
	config := map[string]map[string]any{}
	for _, n := range def.Nodes {
		config[n.Type] = n.Config
	}
	require.Equal(t, map[string]map[string]any{
		"io.input":      {"name": "who", "default": "World"},
		"text.format":   {"template": "Hello, {who}!"},
		"io.file_write": {"path": "hello.txt"},
	}, config)
	require.ElementsMatch(t, []workflow.Connection{
		{FromNodeID: "input", FromPort: "value", ToNodeID: "format", ToPort: "who"},
		{FromNodeID: "format", FromPort: "result", ToNodeID: "file_write", ToPort: "content"},
	}, def.Connections)
}

// held reads the content of a file when it is printed.
type held struct{ text *[]byte }

// String implements [fmt.Stringer].
func (h held) String() string { return strconv.Quote(string(*h.text)) }
