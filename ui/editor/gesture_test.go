package editor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// hand moves the pointer as a user does.
type hand struct {
	*Board

	t *testing.T
}

func newHand(t *testing.T, stored string) *hand {
	t.Helper()
	b := NewBoard(open(t, stored), 1280, 800)
	b.View = NewViewport(1280, 800) // so that the document and the screen are the same
	return &hand{b, t}
}

// drag presses at the first place, goes through the others and lets go at the last.
func (h *hand) drag(p Pointer, way ...Point) Request {
	h.t.Helper()
	require.Equal(h.t, Request{}, h.Down(p))
	for _, at := range way {
		p.At = at
		h.Move(p)
		h.Draw()
	}
	return h.Up(p)
}

func (h *hand) click(at Point, mods Mods) {
	h.t.Helper()
	require.Equal(h.t, Request{}, h.drag(Pointer{At: at, Mods: mods}))
}

func (h *hand) port(ref PortRef) Point {
	h.t.Helper()
	a, ok := h.Scene().Anchor(ref)
	require.True(h.t, ok, "%v", ref)
	return a.At
}

func (h *hand) node(id string) Point {
	h.t.Helper()
	card, ok := h.Scene().Card(id)
	require.True(h.t, ok)
	return card.Rect.Min.Add(Point{40, 17})
}

func TestClickSelects(t *testing.T) {
	h := newHand(t, greet)
	h.click(h.node("who"), 0)
	require.Equal(t, []string{"who"}, h.Selection.Set().Nodes)
	h.click(h.node("fmt"), Shift)
	require.Equal(t, []string{"fmt", "who"}, h.Selection.Set().Nodes)
	h.click(h.node("fmt"), Ctrl)
	require.Equal(t, []string{"who"}, h.Selection.Set().Nodes)
	h.click(Point{10, 210}, Shift)
	require.Equal(t, Set{Nodes: []string{"who"}, Notes: []string{"n1"}}, h.Selection.Set())
	h.click(h.node("who"), 0)
	require.Equal(t, Set{Nodes: []string{"who"}}, h.Selection.Set(), "a click on one of several selects it alone")
	h.click(h.Scene().Wires[0].Curve.At(0.5), 0)
	require.Equal(t, Set{Wires: []workflow.Connection{conn("who", "value", "fmt", "name")}}, h.Selection.Set())
	h.click(Point{1000, 700}, 0)
	require.True(t, h.Selection.Empty())
}

func TestMarquee(t *testing.T) {
	h := newHand(t, greet)
	h.drag(Pointer{At: Point{-60, 400}}, Point{100, 100}, Point{210, -60})
	require.Equal(t, Set{Nodes: []string{"who"}, Notes: []string{"n1"}}, h.Selection.Set())
	h.drag(Pointer{At: Point{700, 300}, Mods: Shift}, Point{600, 50})
	require.Equal(t, []string{"out", "who"}, h.Selection.Set().Nodes)
	require.Empty(t, h.doc.CanUndo())
}

func TestDragMovesTheSelectionInOneStep(t *testing.T) {
	h := newHand(t, greet)
	h.click(h.node("who"), 0)
	h.click(h.node("out"), Shift)
	start := h.node("who")
	h.drag(Pointer{At: start}, start.Add(Point{20, 3}), start.Add(Point{60, 90}), start.Add(Point{101, 50}))
	who, _ := h.doc.Node("who")
	moved, _ := h.doc.Node("out")
	require.Equal(t, &workflow.Position{X: 104, Y: 48}, who.Position, "on the grid")
	require.Equal(t, &workflow.Position{X: 624, Y: 48}, moved.Position)
	h.Undo()
	require.Equal(t, greet, text(t, h.doc))

	h.drag(Pointer{At: start, Mods: Alt}, start.Add(Point{13, 21}))
	who, _ = h.doc.Node("who")
	require.Equal(t, &workflow.Position{X: 13, Y: 21}, who.Position, "Alt leaves the grid")
	h.Undo()

	h.Down(Pointer{At: start})
	h.Move(Pointer{At: start.Add(Point{100, 100})})
	require.True(t, h.Cancel())
	h.Up(Pointer{At: start.Add(Point{100, 100})})
	require.Equal(t, greet, text(t, h.doc), "Escape drops it")
}

func TestDragOfAGroupMovesItsNodes(t *testing.T) {
	h := newHand(t, greet)
	label := h.Scene().Groups[0].Rect.Min.Add(Point{20, 10})
	h.drag(Pointer{At: label}, label.Add(Point{0, 80}))
	n, _ := h.doc.Node("fmt")
	require.Equal(t, &workflow.Position{X: 240, Y: 80}, n.Position)
}

func TestResizeNote(t *testing.T) {
	h := newHand(t, greet)
	h.drag(Pointer{At: Point{155, 275}}, Point{255, 300})
	require.Equal(t, &workflow.Size{W: 264, H: 104}, h.doc.Notes()[0].Size)
}

func TestPan(t *testing.T) {
	h := newHand(t, greet)
	for _, p := range []Pointer{{Button: Middle}, {Button: Secondary}, {Mods: Space}} {
		h.View = NewViewport(1280, 800)
		p.At = h.node("who")
		h.drag(p, p.At.Add(Point{30, 40}), p.At.Add(Point{50, 60}))
		require.Equal(t, Point{50, 60}, h.View.Pan)
	}
	h.Wheel(Pointer{At: Point{9, 9}, Mods: Ctrl}, 1)
	require.Equal(t, Point{50, 108}, h.View.Pan)
	require.Equal(t, greet, text(t, h.doc))
}

func TestWireByDrag(t *testing.T) {
	h := newHand(t, mixed)
	require.NoError(t, h.doc.Layout())
	h.View.Fit(h.Scene().Bounds)
	at := func(ref PortRef) Point { return h.View.ToScreen(h.port(ref)) }

	h.drag(Pointer{At: at(out("s", "value"))}, at(in("enc", "text")).Add(Point{12, 6}), at(in("enc", "text")).Add(Point{12, 6}))
	require.Contains(t, h.doc.Connections(), conn("s", "value", "enc", "text"), "a legal port attracts the wire")

	h.drag(Pointer{At: at(in("enc", "text"))}, Point{-900, -900}, at(in("search", "query")))
	require.Contains(t, h.doc.Connections(), conn("s", "value", "search", "query"), "a wire is taken off an input")
	require.NotContains(t, h.doc.Connections(), conn("s", "value", "enc", "text"))

	r := h.drag(Pointer{At: at(out("n", "value"))}, at(in("enc", "text")).Add(Point{0, 1}))
	require.Equal(t, Request{Kind: RequestTell, Text: "int does not fit into string"}, r)

	r = h.drag(Pointer{At: at(out("s", "value"))}, Point{-900, -900})
	require.Equal(t, RequestPick, r.Kind, "dropped on empty canvas")
	require.Equal(t, out("s", "value"), r.Port)
	partners, err := h.doc.Partners(r.Port, "encode")
	require.NoError(t, err)
	require.Equal(t, "text.encode", partners[0].Spec.Type)
	id, err := h.doc.AddConnected(partners[0].Spec.Type, r.At, r.Port, partners[0].Port)
	require.NoError(t, err)
	require.Contains(t, h.doc.Connections(), conn("s", "value", id, "text"))

	wires := len(h.doc.Connections())
	h.drag(Pointer{At: at(in("search", "query"))}, Point{-900, 5000})
	require.Len(t, h.doc.Connections(), wires-1, "dropped into the void it is gone")
}

func TestASecondButtonChangesNothing(t *testing.T) {
	h := newHand(t, greet)
	start := h.node("who")
	h.Down(Pointer{At: start})
	h.Move(Pointer{At: start.Add(Point{80, 0})})
	h.Down(Pointer{At: start, Button: Middle})
	h.Up(Pointer{At: start.Add(Point{80, 0})})
	n, _ := h.doc.Node("who")
	require.Equal(t, &workflow.Position{X: 80, Y: 0}, n.Position)
}

func TestWhatIsDraggedIsDrawnWhereItIs(t *testing.T) {
	h := newHand(t, `{"id":"x","nodes":[{"id":"a","type":"pronet.send","position":{"x":100,"y":100}}],"connections":[]}`)
	icons := func() (n int) {
		for _, i := range h.Draw() {
			if i.Kind == ItemIcon {
				n++
			}
		}
		return n
	}
	h.Down(Pointer{At: Point{132, 132}})
	h.Move(Pointer{At: Point{5000, 132}})
	require.Zero(t, icons(), "out of view")
	h.View.PanBy(Point{-4500, 0})
	h.Move(Pointer{At: Point{600, 132}})
	require.Equal(t, 1, icons(), "in view, though its old place is not")
}

func TestVerdictsWhileDrawing(t *testing.T) {
	h := newHand(t, mixed)
	_, drawing := h.Verdict(in("enc", "text"))
	require.False(t, drawing)
	require.True(t, h.StartWire(out("n", "value")))
	v, drawing := h.Verdict(in("enc", "text"))
	require.True(t, drawing)
	require.Equal(t, "int does not fit into string", v.Reason)
	v, _ = h.Verdict(in("search", "limit"))
	require.True(t, v.Legal())
}

func TestDropIntoWire(t *testing.T) {
	h := newHand(t, greet)
	middle := h.Scene().Wires[0].Curve.At(0.5)
	id, err := h.Drop("text.slice", middle)
	require.NoError(t, err)
	require.Equal(t, []workflow.Connection{conn("fmt", "result", "out", "value"), conn("who", "value", id, "text"), conn(id, "text", "fmt", "name")}, h.doc.Connections())
	require.Equal(t, []string{id}, h.Selection.Set().Nodes)
	h.Undo()
	require.Equal(t, greet, text(t, h.doc), "one step")

	loose, err := h.doc.Add("text.slice", Point{400, 400})
	require.NoError(t, err)
	start := h.node(loose)
	h.drag(Pointer{At: start}, start.Add(Point{9, 9}), middle)
	require.Contains(t, h.doc.Connections(), conn("who", "value", loose, "text"), "a loose node is dropped on a wire")

	h.Carry("pronet.send")
	h.Move(Pointer{At: Point{800, 600}})
	h.Draw()
	require.Equal(t, Request{}, h.Up(Pointer{At: Point{800, 600}}))
	card, ok := h.Scene().Card("send")
	require.True(t, ok)
	require.Equal(t, Point{800, 600}, card.Rect.Center())
}

func TestEdgePan(t *testing.T) {
	h := newHand(t, greet)
	start := h.node("who")
	require.False(t, h.Tick(0.1), "nothing is dragged")
	h.Down(Pointer{At: start})
	h.Move(Pointer{At: Point{1270, 400}})
	require.True(t, h.Tick(0.1))
	require.Negative(t, h.View.Pan.X)
	drag, ok := h.gesture.(*dragging)
	require.True(t, ok)
	before := drag.by
	require.True(t, h.Tick(0.1))
	require.Greater(t, drag.by.X, before.X, "what is dragged stays under the pointer")
	h.Move(Pointer{At: Point{600, 400}})
	require.False(t, h.Tick(0.1))
}

func TestRequests(t *testing.T) {
	h := newHand(t, greet)
	require.Equal(t, RequestPalette, h.Down(Pointer{At: Point{900, 500}, Double: true}).Kind)
	r := h.Down(Pointer{At: h.node("fmt"), Double: true})
	require.Equal(t, RequestOpen, r.Kind)
	require.Equal(t, "fmt", r.Hit.ID)
	require.Equal(t, RequestEdit, h.Down(Pointer{At: Point{10, 210}, Double: true}).Kind)
	r = h.drag(Pointer{At: h.node("fmt"), Button: Secondary})
	require.Equal(t, RequestMenu, r.Kind)
	require.Equal(t, []string{"fmt"}, h.Selection.Set().Nodes)
	require.Equal(t, Request{}, h.Up(Pointer{}), "a release too many")
}
