package board

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// framed is Greet with a second group and two more notes, compared with what it was: of each
// one has come, one was changed, and one has gone.
func framed(t *testing.T) (h *user, group, note string) {
	t.Helper()
	with := strings.NewReplacer(
		`"groups":[`, `"groups":[{"id":"old","label":"Old frame","nodeIds":["who"]},`,
		`"notes":[`, `"notes":[{"id":"gone","text":"Old\nand more","position":{"x":600,"y":400}},{"id":"stays","position":{"x":20,"y":500}},`,
	)
	h = newHand(t, with.Replace(editortest.Greet))
	before := h.doc.Definition()
	require.NoError(t, h.doc.Delete(doc.Set{Groups: []string{"old"}, Notes: []string{"gone"}}))
	require.NoError(t, h.doc.SetGroupLabel("g1", "Salute"))
	require.NoError(t, h.doc.SetNoteText("n1", "Says bye."))
	require.NoError(t, h.doc.Move(doc.Set{Notes: []string{"stays"}}, geom.Point{X: 40}))
	group, err := h.doc.Group("New", "out")
	require.NoError(t, err)
	note, err = h.doc.AddNote("Mine", geom.Point{X: 400, Y: 200})
	require.NoError(t, err)
	h.Compare(before, "before")
	return h, group, note
}

func TestGroupsAndNotesAreCompared(t *testing.T) {
	h := newHand(t, editortest.Greet)
	before := h.doc.Definition()
	require.NoError(t, h.doc.SetGroupLabel("g1", "Salute"))
	h.Compare(before, "before")
	require.False(t, h.Differences().Empty())
	require.Equal(t, map[string]doc.Difference{"g1": {Change: doc.Changed, Fields: []doc.Field{{Name: "label", Before: "Greeting", After: "Salute"}}}}, h.Differences().Groups)
	require.Contains(t, h.texts(), "changed")
	frame := h.Scene().Groups[0].Rect
	h.Move(Pointer{At: h.View.ToScreen(frame.Min.Add(geom.Point{X: 20, Y: 6}))})
	require.Contains(t, h.texts(), "− Greeting", "field by field where the pointer is")

	_, err := h.doc.Group("Salute", "out", "fmt")
	require.NoError(t, err)
	require.Equal(t, map[string]doc.Difference{"g1": {Change: doc.Removed}, "group": {Change: doc.Added}}, h.Differences().Groups)

	h, group, note := framed(t)
	require.Empty(t, h.Differences().Nodes)
	require.Equal(t, map[string]doc.Difference{
		"g1": {Change: doc.Changed, Fields: []doc.Field{{Name: "label", Before: "Greeting", After: "Salute"}}}, "old": {Change: doc.Removed}, group: {Change: doc.Added},
	}, h.Differences().Groups)
	require.Equal(t, map[string]doc.Difference{
		"n1":    {Change: doc.Changed, Fields: []doc.Field{{Name: "text", Before: "Says hello.", After: "Says bye."}}},
		"gone":  {Change: doc.Removed},
		"stays": {Change: doc.Moved},
		note:    {Change: doc.Added},
	}, h.Differences().Notes)
	for _, word := range []string{"added", "changed", "moved", "removed", "Old", "Old frame"} {
		require.Contains(t, h.texts(), word)
	}
	require.NotContains(t, h.texts(), "and more", "of a note that is gone, what it begins with")
}

func TestGroupsAndNotesAreTakenOverOneByOne(t *testing.T) {
	h, group, note := framed(t)
	mine := editortest.Text(t, h.doc)
	take := func(s doc.Set) {
		t.Helper()
		h.Selection.Replace(s)
		require.NoError(t, h.Take())
	}
	take(doc.Set{Notes: []string{"n1"}})
	require.Empty(t, h.Differences().Notes["n1"])
	take(doc.Set{Groups: []string{"g1"}})
	require.Equal(t, "Greeting", h.doc.Groups()[0].Label)
	require.Len(t, h.Differences().Notes, 3, "the others stay mine")
	take(doc.Set{Notes: []string{note}, Groups: []string{group}})
	require.Len(t, h.doc.Groups(), 1)
	require.Len(t, h.doc.Notes(), 2)
	require.Equal(t, "g1", h.doc.Groups()[0].ID)
	take(doc.Set{Notes: []string{"stays"}})

	h.Selection.Replace(doc.Set{Notes: []string{"n1"}})
	h.click(geom.Point{X: 640, Y: 420}, 0) // where the note was
	require.Empty(t, h.Selection.Set(), "it alone is meant")
	require.NoError(t, h.Take())
	require.Contains(t, h.texts(), "and more")
	require.Empty(t, h.Differences().Notes)
	before := h.compare.shown.Before
	for _, g := range before.Groups {
		if g.ID == "old" {
			h.click(g.Rect.Min.Add(geom.Point{X: 20, Y: 6}), 0)
		}
	}
	require.Equal(t, []string{"old"}, h.compare.marked.Set().Groups)
	h.click(geom.Point{X: 900, Y: 700}, 0)
	require.Empty(t, h.compare.marked.Set(), "a click beside it")
	for h.doc.CanUndo() == "Take over" {
		h.Undo()
	}
	require.Equal(t, mine, editortest.Text(t, h.doc), "each is a step")
}

func TestAGroupIsTakenOverWithTheNodesThatAreThere(t *testing.T) {
	h := newHand(t, editortest.Greet)
	before := h.doc.Definition()
	require.NoError(t, h.doc.Delete(doc.Set{Nodes: []string{"fmt"}}))
	h.Compare(before, "before")
	require.Equal(t, doc.Removed, h.Differences().Groups["g1"].Change)
	mine := editortest.Text(t, h.doc)
	h.compare.marked.Add(doc.Set{Groups: []string{"g1"}})
	require.ErrorIs(t, h.Take(), doc.ErrEmptyGroup)
	require.Equal(t, mine, editortest.Text(t, h.doc))
	h.compare.marked.Add(doc.Set{Nodes: []string{"fmt"}})
	require.NoError(t, h.Take())
	require.Equal(t, []string{"fmt"}, h.doc.Groups()[0].NodeIDs)
}

// A wire that has come is taken out again; nothing else is touched.
func TestAWireIsTakenOverAlone(t *testing.T) {
	h := newHand(t, editortest.Greet)
	before := h.doc.Definition()
	require.NoError(t, h.doc.SetNoteText("n1", "x"))
	wire := editortest.Conn("who", "$done", "out", "$after")
	require.NoError(t, h.doc.Connect(editortest.Out("who", "$done"), editortest.In("out", "$after")))
	h.Compare(before, "before")
	h.Selection.Replace(scene.Hit{Kind: scene.HitWire, Wire: wire}.Set())
	require.NoError(t, h.Take())
	require.NotContains(t, h.doc.Connections(), wire)
	require.Equal(t, "x", h.doc.Notes()[0].Text)
}
