package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func (h *user) via(wire int) []workflow.Position { return scene.Via(h.doc.Connections()[wire]) }

func TestADoubleClickLeadsAWireOverAPoint(t *testing.T) {
	h := newHand(t, editortest.Greet)
	middle := h.Scene().Wires[0].Way.Middle()
	require.Equal(t, Request{}, h.Down(Pointer{At: middle, Double: true}))
	at := middle.Snap(geom.Pitch)
	require.Equal(t, []workflow.Position{workflow.Position(at)}, h.via(0))
	require.Len(t, h.Selection.Set().Points, 1, "it is selected")

	h.drag(Pointer{At: at}, at.Add(geom.Point{X: 9, Y: 40}), at.Add(geom.Point{X: 1, Y: 79}))
	to := at.Add(geom.Point{Y: 80})
	require.Equal(t, []workflow.Position{workflow.Position(to)}, h.via(0), "on the grid")
	require.Len(t, h.Selection.Set().Points, 1, "it still is")
	h.Undo()
	h.Undo()
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc), "two steps")
	h.Redo()
	h.Redo()

	second := geom.Point{X: (to.X + 240) / 2, Y: (to.Y + 50) / 2} // between the first and the end
	require.NoError(t, h.AddPoint(h.doc.Connections()[0], second))
	require.Len(t, h.via(0), 2)
	require.Equal(t, workflow.Position(to), h.via(0)[0], "the new one comes behind")
	h.click(to, 0)
	_, handled := h.Key(KeyDelete, 0)
	require.True(t, handled)
	require.Equal(t, []workflow.Position{workflow.Position(second.Snap(geom.Pitch))}, h.via(0))
	require.Len(t, h.doc.Connections(), 2, "the wire stays")
	h.Down(Pointer{At: second.Snap(geom.Pitch), Double: true})
	require.Empty(t, h.via(0), "a double click takes it off again")
}

func TestPointsGoWithTheirNodes(t *testing.T) {
	h := newHand(t, editortest.Greet)
	at := geom.Point{X: 192, Y: 160}
	require.NoError(t, h.AddPoint(h.doc.Connections()[0], at))
	by := geom.Point{X: 80, Y: 16}
	require.NoError(t, h.doc.Move(doc.Set{Nodes: []string{"fmt"}}, by))
	require.Equal(t, []workflow.Position{workflow.Position(at)}, h.via(0), "one end alone leaves it")
	require.NoError(t, h.doc.Move(doc.Set{Nodes: []string{"who", "fmt"}}, by))
	require.Equal(t, []workflow.Position{workflow.Position(at.Add(by))}, h.via(0))

	made, err := h.doc.Duplicate(doc.Set{Nodes: []string{"who", "fmt"}})
	require.NoError(t, err)
	require.Len(t, made.Nodes, 2)
	copied, _ := h.doc.Card(made.Nodes[0])
	first, _ := h.doc.Card("who")
	beside := copied.Rect.Min.Sub(first.Rect.Min)
	require.Equal(t, []workflow.Position{workflow.Position(at.Add(by).Add(beside))}, h.via(2), "a copy has its own")
	require.Len(t, h.doc.Connections(), 3)
	require.NoError(t, h.doc.Layout("who", "fmt"))
	require.Empty(t, h.via(0), "where the layout has put the ends otherwise, it would lead astray")
	require.NotEmpty(t, h.via(2))
	require.NoError(t, h.doc.Reconnect(h.doc.Connections()[2], editortest.In("fmt", "name")))
	require.NotEmpty(t, h.via(len(h.doc.Connections())-1), "leading an end elsewhere keeps it")
}

func TestTheSelectionKeepsAWireThatIsLedElsewhere(t *testing.T) {
	h := newHand(t, editortest.Greet)
	require.NoError(t, h.AddPoint(h.doc.Connections()[0], geom.Point{X: 192, Y: 160}))
	h.Selection.Replace(doc.Set{Nodes: []string{"who", "fmt"}, Wires: h.doc.Connections()[:1]})
	require.NoError(t, h.Nudge(scene.Down))
	h.Draw()
	require.Equal(t, h.doc.Connections()[:1], h.Selection.Set().Wires)
	require.True(t, h.Led())
	require.NoError(t, h.Straighten())
	require.Empty(t, h.via(0))
	require.False(t, h.Led())
	require.NoError(t, h.AddMiddlePoint())
	require.Len(t, h.via(0), 1)
}

// A wire is taken only by an end that one sees: what would follow the pointer else, came
// from somewhere out of view.
func TestADragTakesNoEndThatIsNotSeen(t *testing.T) {
	h := newHand(t, editortest.Greet)
	wire := h.Scene().Wires[0]
	_, end := wire.Way.Ends()
	press := func() gesture {
		h.gesture = nil
		at := h.View.ToScreen(wire.Way[0].At(0.8))
		h.Down(Pointer{At: at})
		h.Move(Pointer{At: at.Add(geom.Point{Y: 60})})
		defer h.Cancel()
		return h.gesture
	}
	require.IsType(t, &wiring{}, press())
	h.View.Size.X = end.X - 4
	require.IsType(t, &marquee{}, press(), "the end is beyond the edge of the view")
	h.View.Size.X = 1280
	id, err := h.doc.Add("text.slice", geom.Point{X: 900, Y: 900})
	require.NoError(t, err)
	require.NoError(t, h.doc.Move(doc.Set{Nodes: []string{id}}, end.Sub(geom.Point{X: 904, Y: 908})))
	require.IsType(t, &marquee{}, press(), "the end lies below a card")
	require.Equal(t, 2, len(h.doc.Connections()))
}

// No wire crosses a card that it does not belong to, and none has a kink.
func TestWiresGoAroundCards(t *testing.T) {
	h := newHand(t, `{"id":"w","nodes":[`+
		`{"id":"a","type":"text.length","position":{"x":0,"y":0}},{"id":"b","type":"text.length","position":{"x":300,"y":0}},`+
		`{"id":"c","type":"text.format","config":{"template":"{x}"},"position":{"x":600,"y":0}}],"connections":[`+
		`{"fromNodeId":"a","fromPort":"length","toNodeId":"c","toPort":"x"},{"fromNodeId":"c","fromPort":"result","toNodeId":"a","toPort":"text"},`+
		`{"fromNodeId":"c","fromPort":"$done","toNodeId":"a","toPort":"$after"}]}`)
	between, _ := h.Scene().Card("b")
	for _, w := range h.Scene().Wires {
		require.Greater(t, len(w.Way), 1, "%v", w.Connection)
		for k, c := range w.Way {
			for i := range 21 {
				require.False(t, between.Rect.Contains(c.At(float64(i)/20)), "%v", w.Connection)
			}
			if k > 0 {
				in, out := w.Way[k-1], c
				require.Equal(t, in[3], out[0])
				a, b := in[3].Sub(in[2]), out[1].Sub(out[0])
				require.InDelta(t, 0, (a.X*b.Y-a.Y*b.X)/a.Length()/b.Length(), 1e-9, "a kink")
			}
		}
	}
	back, order := h.Scene().Wires[1].Way.Bounds(), h.Scene().Wires[2].Way.Bounds()
	require.NotEqual(t, back.Max.X, order.Max.X, "the wires are in different lanes")
	require.NotEqual(t, back.Min.X, order.Min.X)
}

// An edit reroutes only wires nearby: a wire far away keeps its exact path.
func TestASceneThatIsEditedKeepsWays(t *testing.T) {
	b := latticeBoard(t, 400)
	before := b.Scene()
	require.NoError(t, b.doc.SetLabel("n0", "another"))
	after := b.Scene()
	require.NotSame(t, before, after)
	led := 0
	for i := range after.Wires {
		if len(after.Wires[i].Way) > 1 && i > 100 {
			led++
			require.Equal(t, before.Wires[i].Way, after.Wires[i].Way)
		}
	}
	t.Log(led, "wires are led around cards")
}
