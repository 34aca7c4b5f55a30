package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// around has a loop with a loop in it, and nodes and a note to the right of it and below.
const around = `{"id":"around","nodes":[` +
	`{"id":"in","type":"io.input","config":{"name":"in","type":"list<string>"},"position":{"x":0,"y":0}},` +
	`{"id":"loop","type":"control.foreach","position":{"x":240,"y":0},"body":{"nodes":[` +
	`{"id":"item","type":"io.input","config":{"name":"item"},"position":{"x":0,"y":0}},` +
	`{"id":"deep","type":"control.foreach","position":{"x":240,"y":0},"body":{"nodes":[{"id":"x","type":"io.input","config":{"name":"item"},"position":{"x":0,"y":0}}],"connections":[]}},` +
	`{"id":"out","type":"io.output","config":{"name":"result"},"position":{"x":560,"y":0}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"out","toPort":"value"}]}},` +
	`{"id":"right","type":"text.join","position":{"x":560,"y":0}},` +
	`{"id":"below","type":"text.join","position":{"x":240,"y":240}}],` +
	`"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"loop","toPort":"list"}],` +
	`"notes":[{"id":"n","text":"x","position":{"x":600,"y":300}}]}`

// apart requires that no cards overlap.
func apart(t *testing.T, d *doc.Document) {
	t.Helper()
	all := d.Cards()
	for i := range all {
		for k := range i {
			require.False(t, all[i].Rect.Overlaps(all[k].Rect), "%q and %q", all[i].Node.ID, all[k].Node.ID)
		}
	}
}

func placeOf(t *testing.T, d *doc.Document, id string) geom.Rect {
	t.Helper()
	card, ok := d.Card(id)
	require.True(t, ok)
	return card.Rect
}

func TestAnUnfoldedBodyTakesRoomAndGivesItBack(t *testing.T) {
	d := editortest.Open(t, around)
	folded, right, below := placeOf(t, d, "loop"), placeOf(t, d, "right"), placeOf(t, d, "below")
	require.NoError(t, d.Unfold("loop"))
	require.True(t, d.Unfolded("loop"))
	frame := placeOf(t, d, "loop")
	body, err := d.At([]string{"loop"})
	require.NoError(t, err)
	card, _ := d.Card("loop")
	shown := body.Bounds().Move(card.BodyAt(body.Bounds()))
	require.True(t, card.Pane.Contains(shown.Min) && card.Pane.Contains(shown.Max), "all of it is in the frame")
	require.Equal(t, geom.Point{X: frame.W() - folded.W()}, placeOf(t, d, "right").Min.Sub(right.Min))
	require.Equal(t, geom.Point{Y: frame.H() - folded.H()}, placeOf(t, d, "below").Min.Sub(below.Min))
	require.Equal(t, geom.Point{X: 600, Y: 300}.Add(frame.Max.Sub(folded.Max)), d.Stickies()[0].Rect.Min)
	require.Equal(t, geom.Point{}, placeOf(t, d, "in").Min, "what lies before it stays")
	apart(t, d)
	require.Equal(t, "Unfold the body", d.CanUndo())

	require.NoError(t, d.Fold("loop"))
	require.Equal(t, around, editortest.Text(t, d), "exactly")
	d.Undo()
	require.Equal(t, frame, placeOf(t, d, "loop"))
	d.Undo()
	require.Equal(t, around, editortest.Text(t, d))
}

func TestAnUnfoldedBodyGrowsWithItsNodes(t *testing.T) {
	d := editortest.Open(t, around)
	require.NoError(t, d.Unfold("loop"))
	before, frame, right := editortest.Text(t, d), placeOf(t, d, "loop"), placeOf(t, d, "right")
	require.NoError(t, d.Enter("loop"))
	_, err := d.Add("text.join", geom.Point{X: 1200, Y: 600})
	require.NoError(t, err)
	require.NoError(t, d.Unfold("deep"), "in a body as well")
	require.NoError(t, d.Enter("deep"))
	_, err = d.Add("text.join", geom.Point{X: 900, Y: 900})
	require.NoError(t, err)
	body := d.Bounds()
	require.NoError(t, d.GoTo([]string{"loop"}))
	deep, _ := d.Card("deep")
	require.GreaterOrEqual(t, deep.Pane.W(), body.W())
	apart(t, d)
	body = d.Bounds()
	require.NoError(t, d.GoTo(nil))
	loop, _ := d.Card("loop")
	require.GreaterOrEqual(t, loop.Pane.W(), body.W(), "the outer one, too")
	require.GreaterOrEqual(t, loop.Pane.H(), body.H())
	apart(t, d)
	require.Equal(t, loop.Rect.W()-frame.W(), placeOf(t, d, "right").Min.X-right.Min.X)
	for range 3 {
		d.Undo()
	}
	require.Equal(t, before, editortest.Text(t, d), "a step gives its room back when it is undone")
}

func TestNodesBesideAnUnfoldedBodyDoNotOverlapAfterFolding(t *testing.T) {
	d := editortest.Open(t, around)
	require.NoError(t, d.Unfold("loop"))
	to := func(id string, at geom.Point) {
		require.NoError(t, d.Move(doc.Set{Nodes: []string{id}}, at.Sub(placeOf(t, d, id).Min)))
	}
	to("below", geom.Point{X: 560, Y: -320}) // above the frame, where the other one comes back to
	to("right", geom.Point{X: placeOf(t, d, "right").Min.X, Y: -320})
	require.Less(t, placeOf(t, d, "below").Max.X, placeOf(t, d, "loop").Max.X)
	apart(t, d)
	require.NoError(t, d.Fold("loop"))
	require.Equal(t, geom.Point{X: 560, Y: -320}, placeOf(t, d, "right").Min)
	apart(t, d)
}

func TestOnlyContainersAreUnfolded(t *testing.T) {
	d := editortest.Open(t, around)
	require.ErrorIs(t, d.Unfold("right"), doc.ErrNoBody)
	require.ErrorIs(t, d.Unfold("gone"), doc.ErrNoNode)
	require.ErrorIs(t, d.Fold("gone"), doc.ErrNoNode)
	require.NoError(t, d.Fold("loop"), "there is nothing to do")
	require.Equal(t, around, editortest.Text(t, d))
	id, err := d.Add("control.subworkflow", geom.Point{X: 0, Y: 600})
	require.NoError(t, err)
	require.NoError(t, d.Unfold(id))
	n, _ := d.Node(id)
	require.Equal(t, &workflow.Definition{Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}, n.Body, "it gets one")
}
