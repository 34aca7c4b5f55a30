package board

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// unfolded has a loop with a loop in it, and both bodies are shown on their cards.
func unfolded(t *testing.T) *user {
	t.Helper()
	h := newHand(t, `{"id":"around","nodes":[`+
		`{"id":"first","type":"text.join","label":"Outer","position":{"x":0,"y":0}},`+
		`{"id":"loop","type":"control.foreach","position":{"x":240,"y":0},"body":{"nodes":[`+
		`{"id":"item","type":"io.input","config":{"name":"item"},"position":{"x":0,"y":0}},`+
		`{"id":"fmt","type":"text.format","label":"Inner","config":{"template":"Hello, {name}!"},"position":{"x":240,"y":0}},`+
		`{"id":"deep","type":"control.foreach","position":{"x":0,"y":160},"body":{"nodes":[{"id":"x","type":"text.join","label":"Innermost","position":{"x":0,"y":0}}],"connections":[]}}],`+
		`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"fmt","toPort":"name"}]}}],"connections":[]}`)
	require.NoError(t, h.doc.Enter("loop"))
	require.NoError(t, h.doc.Unfold("deep"))
	h.doc.Leave()
	require.NoError(t, h.doc.Unfold("loop"))
	h.doc.MarkSaved()
	h.sync()
	h.View = scene.NewViewport(1280, 800)
	return h
}

// seenAt returns where on the screen a text is drawn.
func (h *user) seenAt(text string) geom.Point {
	h.t.Helper()
	for _, i := range h.Draw() {
		if i.Text == text {
			return i.Box.Min.Snap(1)
		}
	}
	require.Fail(h.t, "it is not drawn", "%q", text)
	return geom.Point{}
}

// press clicks on a title, in whatever body it is.
func (h *user) press(title string) {
	h.t.Helper()
	h.click(h.seenAt(title).Add(geom.Point{X: 6, Y: 6}), 0)
}

func (h *user) level(path ...string) {
	h.t.Helper()
	require.Equal(h.t, path, append([]string(nil), h.doc.Path()...))
}

func TestAnUnfoldedBodyIsShownInItsFrame(t *testing.T) {
	h := unfolded(t)
	for _, title := range []string{"Inner", "Innermost", "template", "Hello, {name}!"} {
		require.Contains(t, h.texts(), title)
	}
	wires := 0
	for _, i := range h.Draw() {
		if i.Kind == scene.ItemWire {
			wires++
		}
	}
	require.Positive(t, wires)
	card, _ := h.Scene().Card("loop")
	at := h.seenAt("Inner")
	require.True(t, card.Pane.Contains(at))

	h.Run = &fold.State{}
	for _, node := range []string{"loop", "loop/1/fmt"} {
		h.Run.Apply(engine.Event{Name: engine.EventStarted, NodeID: node})
	}
	h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: "loop/1/fmt", Status: engine.StatusSucceeded})
	h.Run.Apply(engine.Event{Name: engine.EventProgress, NodeID: "loop", Step: 1, Total: 5})
	require.Contains(t, h.texts(), "<0.1 ms", "states of what is in it")
	require.Contains(t, h.texts(), "3 nodes · round 2 of 5")
	h.Pinned = func(path string) bool { return path == "loop/fmt" }
	require.Contains(t, h.texts(), "pinned")

	h.drag(Pointer{At: geom.Point{X: 300, Y: 10}}, geom.Point{X: 380, Y: 90})
	require.Equal(t, at.Add(geom.Point{X: 80, Y: 80}), h.seenAt("Inner"), "it goes with its frame")
	h.doc.Undo()
	require.NoError(t, h.doc.Fold("loop"))
	require.NotContains(t, h.texts(), "Inner")
}

func TestAPressInAFrameEntersItsLevel(t *testing.T) {
	h := unfolded(t)
	first, inner, innermost := h.seenAt("Outer"), h.seenAt("Inner"), h.seenAt("Innermost")
	still := func() {
		t.Helper()
		require.Equal(t, []geom.Point{first, inner, innermost}, []geom.Point{h.seenAt("Outer"), h.seenAt("Inner"), h.seenAt("Innermost")}, "nothing has moved")
	}
	h.press("Inner")
	h.level("loop")
	require.Equal(t, []string{"fmt"}, h.Selection.Set().Nodes)
	still()
	h.press("Innermost")
	h.level("loop", "deep")
	require.Equal(t, []string{"x"}, h.Selection.Set().Nodes)
	still()
	require.True(t, h.Inside())
	h.press("Outer")
	h.level()
	require.Equal(t, []string{"first"}, h.Selection.Set().Nodes)
	still()

	h.press("Innermost")
	_, handled := h.Key(KeyEscape, 0)
	require.True(t, handled)
	h.level("loop", "deep")
	require.True(t, h.Selection.Empty(), "first the selection")
	h.Key(KeyEscape, 0)
	h.level("loop")
	require.Equal(t, []string{"deep"}, h.Selection.Set().Nodes)
	still()
	h.Key(KeyEscape, 0)
	h.Key(KeyEscape, 0)
	h.level()
	still()
	require.False(t, h.doc.Edited(), "looking changes nothing")
}

func TestAnUnfoldedBodyIsEditedInItsFrame(t *testing.T) {
	h := unfolded(t)
	saved := editortest.Text(t, h.doc)
	first, at := h.seenAt("Outer"), h.seenAt("Inner")
	h.drag(Pointer{At: at.Add(geom.Point{X: 6, Y: 6})}, at.Add(geom.Point{X: 206, Y: 86}), at.Add(geom.Point{X: 406, Y: 166}))
	h.level("loop")
	require.Equal(t, at.Add(geom.Point{X: 400, Y: 160}), h.seenAt("Inner"), "it lies where it was dropped")
	require.Equal(t, first, h.seenAt("Outer"))
	require.Equal(t, "Move", h.doc.CanUndo())

	wires := len(h.doc.Connections())
	h.drag(Pointer{At: h.View.ToScreen(h.port(editortest.Out("item", "value")))}, h.View.ToScreen(h.port(editortest.In("deep", "list"))))
	require.Len(t, h.doc.Connections(), wires+1, "wires as well")

	require.NoError(t, h.Duplicate())
	require.Len(t, h.doc.Nodes(), 4)
	data := h.Copy()
	h.Move(Pointer{At: geom.Point{X: 20, Y: 700}}) // not in the frame
	require.NoError(t, h.Paste(data))
	h.level("loop")
	require.NoError(t, h.Delete())
	require.Len(t, h.doc.Nodes(), 4)

	id, err := h.Drop("text.join", h.seenAt("Innermost").Add(geom.Point{X: 40, Y: 60}))
	require.NoError(t, err)
	h.level("loop", "deep")
	_, there := h.doc.Node(id)
	require.True(t, there, "what is dropped into a frame is in its body")
	id, err = h.Drop("text.join", geom.Point{X: 20, Y: 700})
	require.NoError(t, err)
	h.level()
	_, there = h.doc.Node(id)
	require.True(t, there)
	for h.doc.CanUndo() != "Unfold the body" {
		h.Undo()
	}
	require.Equal(t, saved, editortest.Text(t, h.doc))
}

// To drag something out to the left makes room there: what was dropped stays where it is.
func TestTheFrameGrowsToAllSides(t *testing.T) {
	h := unfolded(t)
	h.View.PanBy(geom.Point{X: 400, Y: 300})
	at := h.seenAt("Inner")
	h.drag(Pointer{At: at.Add(geom.Point{X: 6, Y: 6})}, at.Add(geom.Point{X: -394, Y: -194}))
	require.Equal(t, at.Sub(geom.Point{X: 400, Y: 200}), h.seenAt("Inner"))
	base, view := h.Base()
	card, _ := base.Card("loop")
	for _, title := range []string{"Inner", "item"} {
		require.True(t, card.Pane.Contains(view.ToDocument(h.seenAt(title))), "%q is in the frame", title)
	}
}

func TestHoverFindsNothingOnAnotherLevel(t *testing.T) {
	h := unfolded(t)
	h.Move(Pointer{At: h.seenAt("Inner")})
	require.Equal(t, scene.HitNothing, h.Hover().Kind, "one has to go there first")
	h.press("Inner")
	h.Move(Pointer{At: h.seenAt("Inner")})
	require.Equal(t, "fmt", h.Hover().ID)
	h.Move(Pointer{At: h.seenAt("Outer")})
	require.Equal(t, scene.HitNothing, h.Hover().Kind)
}

func TestUnfoldingByCommand(t *testing.T) {
	h := newHand(t, editortest.Greet)
	id, err := h.doc.Add("control.foreach", geom.Point{X: 40, Y: 400})
	require.NoError(t, err)
	before := editortest.Text(t, h.doc)
	h.Selection.Replace(doc.Set{Nodes: []string{id}})
	require.NoError(t, h.ToggleUnfolded())
	require.True(t, h.Unfolded())
	require.NoError(t, h.doc.Enter(id))
	h.Draw()
	require.True(t, h.Inside(), "it is entered where it is")
	require.True(t, h.Unfolded())
	require.NoError(t, h.ToggleUnfolded(), "from within, with nothing selected")
	h.level()
	require.False(t, h.Unfolded())
	require.Equal(t, before, editortest.Text(t, h.doc))

	require.NoError(t, h.doc.Enter(id))
	h.Draw()
	require.False(t, h.Inside(), "now it is alone")
	require.NotContains(t, h.texts(), "Format text")
	h.ReadOnly = true
	require.NoError(t, h.ToggleUnfolded(), "past runs are looked at, too")
	require.Contains(t, h.texts(), "Format text")
	require.True(t, slices.Contains(h.texts(), "item"))
}
