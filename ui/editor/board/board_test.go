package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestByKeysAlone(t *testing.T) {
	h := newHand(t, editortest.Greet)
	_, handled := h.Key(KeyTab, 0)
	require.True(t, handled)
	require.True(t, h.Selection.Node("who"))
	h.Key(KeyRight, 0)
	require.True(t, h.Selection.Node("fmt"))
	h.Key(KeyRight, Shift)
	require.Equal(t, []string{"fmt", "out"}, h.Selection.Set().Nodes)
	h.Key(KeyDown, Ctrl)
	n, _ := h.doc.Node("fmt")
	require.Equal(t, &workflow.Position{X: 240, Y: 8}, n.Position)
	h.Show("fmt")
	r, _ := h.Key(KeyEnter, 0)
	require.Equal(t, Request{Kind: RequestOpen, Hit: scene.Hit{Kind: scene.HitNode, ID: "fmt"}}, r)
	h.Key(KeyDelete, Ctrl)
	require.Equal(t, []workflow.Connection{editortest.Conn("who", "value", "out", "value")}, h.doc.Connections())
	h.Show("out")
	h.Key(KeyDelete, 0)
	require.Len(t, h.doc.Nodes(), 1)

	h = newHand(t, editortest.Mixed)
	require.Equal(t, []cards.PortRef{
		editortest.Out("enc", "text"), editortest.In("enc", "text"), editortest.In("enc", "format"),
		editortest.Out("enc", "$done"), editortest.Out("enc", "$error"), editortest.In("enc", "$after"), editortest.In("enc", "$when"),
	}, h.Ports("enc"))
	require.True(t, h.StartWire(editortest.Out("s", "value")))
	targets := h.Targets()
	require.NotEmpty(t, targets)
	h.Key(KeyTab, 0)
	h.Key(KeyRight, 0)
	h.Key(KeyLeft, 0)
	h.Key(KeyTab, Shift)
	h.Draw()
	h.Move(Pointer{At: geom.Point{X: -900, Y: -900}}) // a wire that is led by keys does not follow the pointer
	_, handled = h.Key(KeyEnter, 0)
	require.True(t, handled)
	require.Contains(t, h.doc.Connections(), workflow.Connection{FromNodeID: "s", FromPort: "value", ToNodeID: targets[len(targets)-1].Node, ToPort: targets[len(targets)-1].Port}, "the last, before the first")
	require.True(t, h.StartWire(editortest.Out("s", "value")))
	_, handled = h.Key(KeyEscape, 0)
	require.True(t, handled)
	require.False(t, h.Busy())
}

func TestReadOnly(t *testing.T) {
	h := newHand(t, editortest.Greet)
	h.ReadOnly = true
	start := h.node("who")
	h.drag(Pointer{At: start}, start.Add(geom.Point{X: 100, Y: 100}))
	h.drag(Pointer{At: h.port(editortest.In("fmt", "name"))}, geom.Point{X: 900, Y: 700})
	h.click(h.node("who"), 0)
	h.Key(KeyDelete, 0)
	h.Key(KeyRight, Ctrl)
	_, err := h.Drop("text.slice", geom.Point{})
	require.ErrorIs(t, err, ErrReadOnly)
	for _, do := range []func() error{h.Delete, h.DeleteReconnect, h.Duplicate, h.Expand, h.ToggleDisabled} {
		require.ErrorIs(t, do(), ErrReadOnly)
	}
	require.False(t, h.StartWire(editortest.Out("who", "value")))
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc))
	require.True(t, h.Selection.Node("who"), "but one can look around")
}

func TestCommandsOfTheBoard(t *testing.T) {
	h := newHand(t, editortest.Greet)
	require.Nil(t, h.Copy())
	h.SelectAll()
	data, err := h.Cut()
	require.NoError(t, err)
	require.Empty(t, h.doc.Nodes())
	require.True(t, h.Selection.Empty(), "what is gone is not selected")
	require.NoError(t, h.Paste(data))
	require.Equal(t, []string{"fmt", "out", "who"}, h.Selection.Set().Nodes, "what was pasted is")
	require.NoError(t, h.Duplicate())
	require.NoError(t, h.Group("Copies"))
	require.Len(t, h.Selection.Set().Groups, 1)
	h.Show("fmt")
	h.SelectUpstream()
	require.Equal(t, []string{"fmt", "who"}, h.Selection.Set().Nodes)
	h.SelectDownstream()
	require.NoError(t, h.ToggleDisabled())
	n, _ := h.doc.Node("who")
	require.True(t, n.Disabled)
	require.NoError(t, h.Collapse("control.subworkflow"), "without the boundary nodes")
	id, ok := h.Selection.Sole()
	require.True(t, ok)
	require.NoError(t, h.doc.Enter(id))
	h.FitSelection()
	require.True(t, h.Selection.Empty())
	require.True(t, h.Leave())
	require.True(t, h.Selection.Node(id))
	require.NoError(t, h.Expand())
	require.Equal(t, []string{"fmt"}, h.Selection.Set().Nodes)
	for h.doc.CanUndo() != "" {
		h.Undo()
	}
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc))
	name, ok := h.Redo()
	require.True(t, ok)
	require.Equal(t, "Delete", name)
}

func TestViewOfEachLevelIsKept(t *testing.T) {
	h := newHand(t, `{"id":"x","nodes":[{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"a","type":"text.slice"}],"connections":[]}}],"connections":[]}`)
	h.View.ZoomTo(0.7, geom.Point{X: 100, Y: 100})
	outside := h.View
	require.NoError(t, h.doc.Enter("loop"))
	h.Draw()
	require.NotEqual(t, outside, h.View)
	h.doc.Leave()
	h.Draw()
	require.Equal(t, outside, h.View)
}

func TestProblems(t *testing.T) {
	h := newHand(t, `{"id":"x","nodes":[{"id":"a","type":"text.length","position":{"x":0,"y":0}},{"id":"b","type":"text.length","position":{"x":3000,"y":0}},`+
		`{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"in","type":"text.length"}],"connections":[]}}],`+
		`"connections":[{"fromNodeId":"a","fromPort":"length","toNodeId":"b","toPort":"text"}]}`)
	_, ok := h.NextProblem(1)
	require.False(t, ok)
	first := 0
	h.SetProblems(engine.ValidationErrors{
		{Code: "missing_required_input", NodeID: "a"},
		{Code: "missing_required_input", NodeID: "loop/in"},
		{Code: "type_mismatch", NodeID: "b", Connection: &first},
		{Code: "invalid_id"},
	})
	require.Len(t, h.Problems().All(), 4)
	last, _ := h.NextProblem(-1)
	require.Equal(t, "invalid_id", last.Code, "backwards from the start")
	require.Len(t, h.Problems().Of(nil, "a"), 1)
	require.Equal(t, 1, h.Problems().Count(nil, "loop"), "of its body")
	require.Empty(t, h.Problems().Of(nil, "loop"))
	require.Equal(t, 1, h.Problems().Count([]string{"loop"}, "in"))

	e, _ := h.NextProblem(1)
	require.Equal(t, "a", e.NodeID)
	require.True(t, h.Selection.Node("a"))
	_, ok = h.NextProblem(1)
	require.True(t, ok)
	require.Equal(t, []string{"loop"}, h.doc.Path())
	require.True(t, h.Selection.Node("in"))
	_, ok = h.NextProblem(1)
	require.True(t, ok)
	require.Empty(t, h.doc.Path())
	require.Equal(t, doc.Set{Nodes: []string{"b"}, Wires: h.doc.Connections()}, h.Selection.Set())
	require.True(t, h.View.Visible().Contains(geom.Point{X: 3000, Y: 0}), "it is shown")
	e, _ = h.NextProblem(1)
	require.Equal(t, "invalid_id", e.Code)
	e, _ = h.NextProblem(1)
	require.Equal(t, "a", e.NodeID, "and around")
	e, _ = h.NextProblem(-1)
	require.Equal(t, "invalid_id", e.Code)
}
