package board

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// changedHand has a document compared with what it was: one node has come, one was changed,
// one was moved, and one has gone.
func changedHand(t *testing.T) (h *user, added string) {
	t.Helper()
	h = newHand(t, editortest.Greet)
	before := h.doc.Definition()
	added, err := h.doc.Add("text.slice", geom.Point{X: 400, Y: 400})
	require.NoError(t, err)
	require.NoError(t, h.doc.SetConfig("fmt", "template", "Bye, {name}!"))
	require.NoError(t, h.doc.Move(doc.Set{Nodes: []string{"who"}}, geom.Point{Y: 80}))
	require.NoError(t, h.doc.Delete(doc.Set{Nodes: []string{"out"}}))
	require.NoError(t, h.doc.Connect(editortest.Out("who", "value"), editortest.In(added, "text")))
	h.Compare(before, "before")
	return h, added
}

func (h *user) texts() (all []string) {
	for _, i := range h.Draw() {
		all = append(all, i.Text)
	}
	return all
}

func TestTwoStatesAreComparedOnTheCanvas(t *testing.T) {
	h, added := changedHand(t)
	diff := h.Differences()
	require.Equal(t, map[string]doc.Difference{
		added: {Change: doc.Added}, "who": {Change: doc.Moved}, "out": {Change: doc.Removed},
		"fmt": {Change: doc.Changed, Fields: []doc.Field{{Name: "template", Before: "Hello, {name}!", After: "Bye, {name}!"}}},
	}, diff.Nodes)
	require.Len(t, diff.New, 1)
	require.Len(t, diff.Gone, 1)
	for _, word := range []string{"added", "changed", "moved", "removed"} {
		require.Contains(t, h.texts(), word)
	}
	gone := 0
	for _, i := range h.Draw() {
		if i.Kind == scene.ItemWire && i.Dashed {
			gone++
		}
	}
	require.Equal(t, 1, gone, "the wire that has gone")
	h.Move(Pointer{At: h.node("fmt")})
	require.True(t, slices.Contains(h.texts(), "− Hello, {name}!") && slices.Contains(h.texts(), "+ Bye, {name}!"), "field by field: %q", h.texts())
	require.NoError(t, h.doc.SetConfig("fmt", "template", "Hello, {name}!"))
	require.NotContains(t, h.Differences().Nodes, "fmt", "it follows the document")
	h.Compare(nil, "")
	_, is := h.Comparing()
	require.False(t, is)
	require.NotContains(t, h.texts(), "removed")
}

func TestTakingOverNodeByNode(t *testing.T) {
	h, added := changedHand(t)
	mine := editortest.Text(t, h.doc)
	h.Selection.Replace(doc.Set{Nodes: []string{"fmt"}})
	require.NoError(t, h.Take())
	n, _ := h.doc.Node("fmt")
	require.Equal(t, "Hello, {name}!", n.Config["template"])
	require.True(t, h.doc.Wired(added), "the others stay mine")

	h.Selection.Clear()
	h.click(geom.Point{X: 560, Y: 20}, 0) // where the output was
	require.NoError(t, h.Take())
	_, there := h.doc.Node("out")
	require.True(t, there)
	require.Contains(t, h.doc.Connections(), editortest.Conn("fmt", "result", "out", "value"), "with its wires")

	h.Selection.Replace(doc.Set{Nodes: []string{added}})
	require.NoError(t, h.Take())
	_, there = h.doc.Node(added)
	require.False(t, there, "theirs has no such node")
	as, is := h.Comparing()
	require.True(t, is)
	require.Equal(t, "before", as)
	h.Undo()
	h.Undo()
	h.Undo()
	require.Equal(t, mine, editortest.Text(t, h.doc), "each is a step")

	h.Selection.Clear()
	require.NoError(t, h.Take())
	_, is = h.Comparing()
	require.False(t, is, "nothing differs any more")
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc))
	h.Undo()
	require.Equal(t, mine, editortest.Text(t, h.doc))
}

// between is who → over → out where the way from who to out leads past over.
const between = `{"id":"between","nodes":[` +
	`{"id":"who","type":"io.input","config":{"name":"who","type":"string"},"position":{"x":0,"y":0}},` +
	`{"id":"over","type":"text.format","config":{"template":"Hello, {name}!"},"position":{"x":300,"y":-40}},` +
	`{"id":"out","type":"io.output","config":{"name":"greeting"},"position":{"x":640,"y":0}}],` +
	`"connections":[{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}]}`

// A removed wire avoids cards, and is drawn on top of those it cannot avoid.
func TestAWireThatIsGoneGoesAroundCards(t *testing.T) {
	h := newHand(t, between)
	before := h.doc.Definition()
	require.NoError(t, h.doc.Disconnect(editortest.Conn("who", "value", "out", "value")))
	h.Compare(before, "before")
	card, _ := h.Scene().Card("over")
	low, high := h.View.ToScreen(card.Rect.Min), h.View.ToScreen(card.Rect.Max)
	gone, onTop := 0, false
	for _, i := range h.Draw() {
		if i.Kind == scene.ItemRect && i.Fill.Ink == scene.InkCard {
			require.Zero(t, gone, "it lies on top")
			onTop = true
		}
		if i.Kind != scene.ItemWire || !i.Dashed {
			continue
		}
		gone++
		for step := range 25 {
			at := i.Curve.At(float64(step) / 24)
			require.False(t, geom.RectBetween(low, high).Contains(at), "it runs through the card at %v", at)
		}
	}
	require.Greater(t, gone, 1, "it is led around")
	require.True(t, onTop)
}
