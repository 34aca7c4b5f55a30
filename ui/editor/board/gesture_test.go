package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// user moves the pointer as a user does.
type user struct {
	*Board

	t *testing.T
}

func newHand(t *testing.T, stored string) *user {
	t.Helper()
	b := New(editortest.Open(t, stored), 1280, 800)
	b.View = scene.NewViewport(1280, 800) // so that the document and the screen are the same
	return &user{b, t}
}

// drag presses at the first point, moves through the others and releases at the last.
func (h *user) drag(p Pointer, way ...geom.Point) Request {
	h.t.Helper()
	require.Equal(h.t, Request{}, h.Down(p))
	for _, at := range way {
		p.At = at
		h.Move(p)
		h.Draw()
	}
	return h.Up(p)
}

func (h *user) click(at geom.Point, mods Mods) {
	h.t.Helper()
	require.Equal(h.t, Request{}, h.drag(Pointer{At: at, Mods: mods}))
}

func (h *user) port(ref cards.PortRef) geom.Point {
	h.t.Helper()
	a, ok := h.Scene().Anchor(ref)
	require.True(h.t, ok, "%v", ref)
	return a.At
}

func (h *user) node(id string) geom.Point {
	h.t.Helper()
	card, ok := h.Scene().Card(id)
	require.True(h.t, ok)
	return card.Rect.Min.Add(geom.Point{X: 40, Y: 17})
}

func TestClickSelects(t *testing.T) {
	h := newHand(t, editortest.Greet)
	h.click(h.node("who"), 0)
	require.Equal(t, []string{"who"}, h.Selection.Set().Nodes)
	h.click(h.node("fmt"), Shift)
	require.Equal(t, []string{"fmt", "who"}, h.Selection.Set().Nodes)
	h.click(h.node("fmt"), Ctrl)
	require.Equal(t, []string{"who"}, h.Selection.Set().Nodes)
	h.click(geom.Point{X: 10, Y: 210}, Shift)
	require.Equal(t, doc.Set{Nodes: []string{"who"}, Notes: []string{"n1"}}, h.Selection.Set())
	h.click(h.node("who"), 0)
	require.Equal(t, doc.Set{Nodes: []string{"who"}}, h.Selection.Set(), "a click on one of several selects it alone")
	h.click(h.Scene().Wires[0].Way.Middle(), 0)
	require.Equal(t, doc.Set{Wires: []workflow.Connection{editortest.Conn("who", "value", "fmt", "name")}}, h.Selection.Set())
	h.click(geom.Point{X: 1000, Y: 700}, 0)
	require.True(t, h.Selection.Empty())
}

func TestMarquee(t *testing.T) {
	h := newHand(t, editortest.Greet)
	h.drag(Pointer{At: geom.Point{X: -60, Y: 400}}, geom.Point{X: 100, Y: 100}, geom.Point{X: 210, Y: -60})
	require.Equal(t, doc.Set{Nodes: []string{"who"}, Notes: []string{"n1"}}, h.Selection.Set())
	h.drag(Pointer{At: geom.Point{X: 700, Y: 300}, Mods: Shift}, geom.Point{X: 600, Y: 50})
	require.Equal(t, []string{"out", "who"}, h.Selection.Set().Nodes)
	require.Empty(t, h.doc.CanUndo())
}

func TestDragMovesTheSelectionInOneStep(t *testing.T) {
	h := newHand(t, editortest.Greet)
	h.click(h.node("who"), 0)
	h.click(h.node("out"), Shift)
	start := h.node("who")
	h.drag(Pointer{At: start}, start.Add(geom.Point{X: 20, Y: 3}), start.Add(geom.Point{X: 60, Y: 90}), start.Add(geom.Point{X: 101, Y: 50}))
	who, _ := h.doc.Node("who")
	moved, _ := h.doc.Node("out")
	require.Equal(t, &workflow.Position{X: 104, Y: 48}, who.Position, "on the grid")
	require.Equal(t, &workflow.Position{X: 624, Y: 48}, moved.Position)
	h.Undo()
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc))

	h.drag(Pointer{At: start, Mods: Alt}, start.Add(geom.Point{X: 13, Y: 21}))
	who, _ = h.doc.Node("who")
	require.Equal(t, &workflow.Position{X: 13, Y: 21}, who.Position, "Alt leaves the grid")
	h.Undo()

	h.Down(Pointer{At: start})
	h.Move(Pointer{At: start.Add(geom.Point{X: 100, Y: 100})})
	require.True(t, h.Cancel())
	h.Up(Pointer{At: start.Add(geom.Point{X: 100, Y: 100})})
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc), "Escape drops it")
}

func TestDragOfAGroupMovesItsNodes(t *testing.T) {
	h := newHand(t, editortest.Greet)
	label := h.Scene().Groups[0].Rect.Min.Add(geom.Point{X: 20, Y: 10})
	h.drag(Pointer{At: label}, label.Add(geom.Point{X: 0, Y: 80}))
	n, _ := h.doc.Node("fmt")
	require.Equal(t, &workflow.Position{X: 240, Y: 80}, n.Position)
}

func TestResizeNote(t *testing.T) {
	h := newHand(t, editortest.Greet)
	h.drag(Pointer{At: geom.Point{X: 155, Y: 275}}, geom.Point{X: 255, Y: 300})
	require.Equal(t, &workflow.Size{W: 264, H: 104}, h.doc.Notes()[0].Size)
}

func TestPan(t *testing.T) {
	h := newHand(t, editortest.Greet)
	for _, p := range []Pointer{{Button: Middle}, {Button: Secondary}, {Mods: Space}} {
		h.View = scene.NewViewport(1280, 800)
		p.At = h.node("who")
		h.drag(p, p.At.Add(geom.Point{X: 30, Y: 40}), p.At.Add(geom.Point{X: 50, Y: 60}))
		require.Equal(t, geom.Point{X: 50, Y: 60}, h.View.Pan)
	}
	h.Wheel(Pointer{At: geom.Point{X: 9, Y: 9}, Mods: Ctrl}, 1)
	require.Equal(t, geom.Point{X: 50, Y: 108}, h.View.Pan)
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc))
}

func TestWireByDrag(t *testing.T) {
	h := newHand(t, editortest.Mixed)
	require.NoError(t, h.doc.Layout())
	h.View.Fit(h.Scene().Bounds)
	at := func(ref cards.PortRef) geom.Point { return h.View.ToScreen(h.port(ref)) }

	h.drag(Pointer{At: at(editortest.Out("s", "value"))}, at(editortest.In("enc", "text")).Add(geom.Point{X: 12, Y: 6}), at(editortest.In("enc", "text")).Add(geom.Point{X: 12, Y: 6}))
	require.Contains(t, h.doc.Connections(), editortest.Conn("s", "value", "enc", "text"), "a legal port attracts the wire")

	h.drag(Pointer{At: at(editortest.In("enc", "text"))}, geom.Point{X: -900, Y: -900}, at(editortest.In("search", "query")))
	require.Contains(t, h.doc.Connections(), editortest.Conn("s", "value", "search", "query"), "a wire is taken off an input")
	require.NotContains(t, h.doc.Connections(), editortest.Conn("s", "value", "enc", "text"))

	r := h.drag(Pointer{At: at(editortest.Out("n", "value"))}, at(editortest.In("enc", "text")).Add(geom.Point{X: 0, Y: 1}))
	require.Equal(t, Request{Kind: RequestTell, Text: "int does not fit into string"}, r)

	r = h.drag(Pointer{At: at(editortest.Out("s", "value"))}, geom.Point{X: -900, Y: -900})
	require.Equal(t, RequestPick, r.Kind, "dropped on empty canvas")
	require.Equal(t, editortest.Out("s", "value"), r.Port)
	partners, err := h.doc.Partners(r.Port, "encode")
	require.NoError(t, err)
	require.Equal(t, "text.encode", partners[0].Spec.Type)
	id, err := h.doc.AddConnected(partners[0].Spec.Type, r.At, r.Port, partners[0].Port)
	require.NoError(t, err)
	require.Contains(t, h.doc.Connections(), editortest.Conn("s", "value", id, "text"))

	wires := len(h.doc.Connections())
	h.drag(Pointer{At: at(editortest.In("search", "query"))}, geom.Point{X: -900, Y: 5000})
	require.Len(t, h.doc.Connections(), wires-1, "dropped into the void it is gone")
}

func TestASecondButtonChangesNothing(t *testing.T) {
	h := newHand(t, editortest.Greet)
	start := h.node("who")
	h.Down(Pointer{At: start})
	h.Move(Pointer{At: start.Add(geom.Point{X: 80, Y: 0})})
	h.Down(Pointer{At: start, Button: Middle})
	h.Up(Pointer{At: start.Add(geom.Point{X: 80, Y: 0})})
	n, _ := h.doc.Node("who")
	require.Equal(t, &workflow.Position{X: 80, Y: 0}, n.Position)
}

func TestADraggedNodeIsDrawnAtThePointer(t *testing.T) {
	h := newHand(t, `{"id":"x","nodes":[{"id":"a","type":"pronet.send","position":{"x":100,"y":100}}],"connections":[]}`)
	icons := func() (n int) {
		for _, i := range h.Draw() {
			if i.Kind == scene.ItemIcon {
				n++
			}
		}
		return n
	}
	h.Down(Pointer{At: geom.Point{X: 132, Y: 132}})
	h.Move(Pointer{At: geom.Point{X: 5000, Y: 132}})
	require.Zero(t, icons(), "out of view")
	h.View.PanBy(geom.Point{X: -4500, Y: 0})
	h.Move(Pointer{At: geom.Point{X: 600, Y: 132}})
	require.Equal(t, 1, icons(), "in view, though its old place is not")
}

func TestVerdictsWhileDrawing(t *testing.T) {
	h := newHand(t, editortest.Mixed)
	_, drawing := h.Verdict(editortest.In("enc", "text"))
	require.False(t, drawing)
	require.True(t, h.StartWire(editortest.Out("n", "value")))
	v, drawing := h.Verdict(editortest.In("enc", "text"))
	require.True(t, drawing)
	require.Equal(t, "int does not fit into string", v.Reason)
	v, _ = h.Verdict(editortest.In("search", "limit"))
	require.True(t, v.Legal())
}

func TestDropIntoWire(t *testing.T) {
	h := newHand(t, editortest.Greet)
	middle := h.Scene().Wires[0].Way.Middle()
	id, err := h.Drop("text.slice", middle)
	require.NoError(t, err)
	require.Equal(t, []workflow.Connection{editortest.Conn("fmt", "result", "out", "value"), editortest.Conn("who", "value", id, "text"), editortest.Conn(id, "text", "fmt", "name")}, h.doc.Connections())
	require.Equal(t, []string{id}, h.Selection.Set().Nodes)
	h.Undo()
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc), "one step")

	loose, err := h.doc.Add("text.slice", geom.Point{X: 400, Y: 400})
	require.NoError(t, err)
	start := h.node(loose)
	h.drag(Pointer{At: start}, start.Add(geom.Point{X: 9, Y: 9}), middle)
	require.Contains(t, h.doc.Connections(), editortest.Conn("who", "value", loose, "text"), "a loose node is dropped on a wire")

	h.Carry("pronet.send")
	h.Move(Pointer{At: geom.Point{X: 800, Y: 600}})
	h.Draw()
	require.Equal(t, Request{}, h.Up(Pointer{At: geom.Point{X: 800, Y: 600}}))
	card, ok := h.Scene().Card("send")
	require.True(t, ok)
	require.Equal(t, geom.Point{X: 800, Y: 600}, card.Rect.Center())
}

func TestEdgePan(t *testing.T) {
	h := newHand(t, editortest.Greet)
	start := h.node("who")
	require.False(t, h.Tick(0.1), "nothing is dragged")
	h.Down(Pointer{At: start})
	h.Move(Pointer{At: geom.Point{X: 1270, Y: 400}})
	require.True(t, h.Tick(0.1))
	require.Negative(t, h.View.Pan.X)
	drag, ok := h.gesture.(*dragging)
	require.True(t, ok)
	before := drag.by
	require.True(t, h.Tick(0.1))
	require.Greater(t, drag.by.X, before.X, "what is dragged stays under the pointer")
	h.Move(Pointer{At: geom.Point{X: 600, Y: 400}})
	require.False(t, h.Tick(0.1))
}

func TestRequests(t *testing.T) {
	h := newHand(t, editortest.Greet)
	require.Equal(t, RequestPalette, h.Down(Pointer{At: geom.Point{X: 900, Y: 500}, Double: true}).Kind)
	r := h.Down(Pointer{At: h.node("fmt"), Double: true})
	require.Equal(t, RequestOpen, r.Kind)
	require.Equal(t, "fmt", r.Hit.ID)
	require.Equal(t, RequestEdit, h.Down(Pointer{At: geom.Point{X: 10, Y: 210}, Double: true}).Kind)
	r = h.drag(Pointer{At: h.node("fmt"), Button: Secondary})
	require.Equal(t, RequestMenu, r.Kind)
	require.Equal(t, []string{"fmt"}, h.Selection.Set().Nodes)
	require.Equal(t, Request{}, h.Up(Pointer{}), "a release too many")
}
