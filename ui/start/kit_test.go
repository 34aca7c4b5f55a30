package start_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/start"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// fixture is a page in a window, and records the calls of its callbacks.
type fixture struct {
	*start.Page

	t      *testing.T
	window fyne.Window
	asked  []any
}

// begun, opened and browsed record callbacks without an argument.
const (
	begun   = "new"
	opened  = "open"
	browsed = "browse"
)

func newHand(t *testing.T) *fixture {
	t.Helper()
	uitest.App(t, theme.Dark)
	h := &fixture{t: t}
	ask := func(what any) { h.asked = append(h.asked, what) }
	h.Page = start.New(start.Config{
		Templates:  []start.Template{template("one"), template("two"), template("three"), template("four")},
		OnNew:      func() { ask(begun) },
		OnOpen:     func() { ask(opened) },
		OnBrowse:   func() { ask(browsed) },
		OnTemplate: func(name string) { ask(name) },
		OnRecent:   func(o documents.Origin) { ask(o) },
		OnForget:   func(o documents.Origin) { ask("forget " + o.File) },
		OnRestore:  func(l documents.OrphanDraft) { ask("restore " + l.Name) },
		OnDiscard:  func(l documents.OrphanDraft) { ask("discard " + l.Name) },
	})
	h.window = uitest.Window(t, h.Object(), 1280, 800)
	return h
}

func template(name string) start.Template {
	return start.Template{Name: name, Definition: &workflow.Definition{
		ID: name, Name: "Template " + name, Description: "Does this and that, and a great many other things that nobody can remember, and more of them than the tile has room for.",
		Nodes:       []workflow.Node{{ID: "a", Type: "x", Position: &workflow.Position{}}, {ID: "b", Type: "x", Position: &workflow.Position{X: 400}}},
		Connections: []workflow.Connection{{FromNodeID: "a", FromPort: "o", ToNodeID: "b", ToPort: "i"}},
	}}
}

// pictures returns what the tiles show.
func pictures(root fyne.CanvasObject) []*canvas.Raster { return uitest.Seen[*canvas.Raster](root) }

// holding returns the innermost thing to press that shows a text.
func holding(root fyne.CanvasObject, text string) (found fyne.Tappable) {
	for _, o := range uitest.Seen[fyne.Tappable](root) {
		b, ok := o.(*kit.Button)
		if ok && b.Text == text || slices.Contains(uitest.Texts(o.(fyne.CanvasObject)), text) {
			found = o
		}
	}
	return found
}

// press presses what shows a text.
func (h *fixture) press(text string) {
	h.t.Helper()
	found := holding(h.Object(), text)
	require.NotNil(h.t, found, text)
	found.Tapped(&fyne.PointEvent{})
}
