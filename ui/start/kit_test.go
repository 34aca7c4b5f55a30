package start_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/start"
	"github.com/svcflow/svc/ui/theme"
)

// hand is a page in a window, and what it has asked for.
type hand struct {
	*start.Page

	t      *testing.T
	window fyne.Window
	asked  []any
}

// begun, opened and browsed stand for what has no argument.
const (
	begun   = "new"
	opened  = "open"
	browsed = "browse"
)

func newHand(t *testing.T) *hand {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	h := &hand{t: t}
	ask := func(what any) { h.asked = append(h.asked, what) }
	h.Page = start.New(start.Config{
		Templates:  []start.Template{template("one"), template("two"), template("three"), template("four")},
		OnNew:      func() { ask(begun) },
		OnOpen:     func() { ask(opened) },
		OnBrowse:   func() { ask(browsed) },
		OnTemplate: func(name string) { ask(name) },
		OnRecent:   func(o documents.Origin) { ask(o) },
		OnForget:   func(o documents.Origin) { ask("forget " + o.File) },
		OnRestore:  func(l documents.Left) { ask("restore " + l.Name) },
		OnDiscard:  func(l documents.Left) { ask("discard " + l.Name) },
	})
	h.window = test.NewTempWindow(t, h.Object())
	h.window.SetPadded(false)
	h.window.Resize(fyne.NewSize(1280, 800))
	return h
}

func template(name string) start.Template {
	return start.Template{Name: name, Definition: &workflow.Definition{
		ID: name, Name: "Template " + name, Description: "Does this and that, and a great many other things that nobody can remember, and more of them than the tile has room for.",
		Nodes:       []workflow.Node{{ID: "a", Type: "x", Position: &workflow.Position{}}, {ID: "b", Type: "x", Position: &workflow.Position{X: 400}}},
		Connections: []workflow.Connection{{FromNodeID: "a", FromPort: "o", ToNodeID: "b", ToPort: "i"}},
	}}
}

// seen calls see for an object and all in it that can be seen.
func seen(o fyne.CanvasObject, see func(fyne.CanvasObject)) {
	if !o.Visible() {
		return
	}
	see(o)
	switch o := o.(type) {
	case *fyne.Container:
		for _, part := range o.Objects {
			seen(part, see)
		}
	case fyne.Widget:
		for _, part := range test.WidgetRenderer(o).Objects() {
			seen(part, see)
		}
	}
}

// texts returns what can be read.
func texts(root fyne.CanvasObject) (all []string) {
	seen(root, func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *kit.Text:
			all = append(all, o.Text())
		case *kit.Paragraph:
			all = append(all, o.Text())
		}
	})
	return all
}

// pictures returns what the tiles show.
func pictures(root fyne.CanvasObject) (all []*canvas.Raster) {
	seen(root, func(o fyne.CanvasObject) {
		if r, ok := o.(*canvas.Raster); ok {
			all = append(all, r)
		}
	})
	return all
}

// holding returns the innermost thing to press that shows a text.
func holding(root fyne.CanvasObject, text string) (found fyne.Tappable) {
	seen(root, func(o fyne.CanvasObject) {
		if b, ok := o.(*widget.Button); ok && b.Text == text {
			found = b
			return
		}
		press, ok := o.(fyne.Tappable)
		if !ok {
			return
		}
		for _, t := range texts(o) {
			if t == text {
				found = press
			}
		}
	})
	return found
}

// press presses what shows a text.
func (h *hand) press(text string) {
	h.t.Helper()
	found := holding(h.Object(), text)
	require.NotNil(h.t, found, text)
	found.Tapped(&fyne.PointEvent{})
}
