package board

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// ghost returns where the ghost of what is carried is drawn.
func (h *user) ghost() (box geom.Rect) {
	h.t.Helper()
	for _, i := range h.Draw() {
		if i.Kind == scene.ItemRect && i.Dashed && i.Stroke == scene.Plain(scene.InkAccent) {
			box = i.Box
		}
	}
	require.False(h.t, box.Empty(), "a ghost")
	return box
}

func TestADroppedNodeLandsWhereItsPreviewWas(t *testing.T) {
	for _, typ := range []string{"text.slice", "pronet.send", "preview.view", "control.foreach"} {
		for _, at := range []geom.Point{{X: 801, Y: 603}, {X: 300, Y: 40}, {X: 60, Y: 230}, {X: 212, Y: 74}, {X: 3, Y: 5}} {
			h := newHand(t, editortest.Greet)
			h.Carry(typ)
			h.Move(Pointer{At: at})
			was := h.ghost()
			require.Equal(t, Request{}, h.Up(Pointer{At: at}))
			id, ok := h.Selection.Sole()
			require.True(t, ok)
			card, _ := h.Scene().Card(id)
			require.Equal(t, was.Min, card.Rect.Min, "%s at %v", typ, at)
		}
	}
}

func requireApart(t *testing.T, s *scene.Scene, id string) {
	t.Helper()
	card, ok := s.Card(id)
	require.True(t, ok)
	for i := range s.Cards {
		if other := &s.Cards[i]; other.Node.ID != id {
			require.False(t, other.Extent().Overlaps(card.Rect), "%s lies on %s", id, other.Node.ID)
		}
	}
	for _, n := range s.Notes {
		require.False(t, n.Rect.Overlaps(card.Extent()), "%s lies on note %s", id, n.ID)
	}
}

// A new card does not land where another card shows its value below itself: the value would
// hide it.
func TestNewNodesAvoidTheValuesBelowCards(t *testing.T) {
	for name, add := range map[string]func(h *user, at geom.Point) (geom.Rect, error){
		"a node": func(h *user, at geom.Point) (geom.Rect, error) {
			id, err := h.doc.Add("text.slice", at)
			if err != nil {
				return geom.Rect{}, err
			}
			card, _ := h.doc.Card(id)
			return card.Extent(), nil
		},
		"a note": func(h *user, at geom.Point) (geom.Rect, error) {
			_, err := h.doc.AddNote("", at)
			return h.doc.Stickies()[0].Rect, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHand(t, `{"id":"v","nodes":[{"id":"see","type":"preview.view","position":{"x":0,"y":0}}],"connections":[]}`)
			card, _ := h.doc.Card("see")
			hangs := card.Below()
			require.False(t, hangs.Empty())
			lies, err := add(h, hangs.Center())
			require.NoError(t, err)
			require.False(t, lies.Overlaps(hangs))
		})
	}
}

func TestANewNodeOverlapsNoOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	types := []string{"text.slice", "pronet.send", "preview.view", "text.format"}
	h := newHand(t, editortest.Greet)
	for range 60 {
		at := geom.Point{X: float64(random.IntN(900)), Y: float64(random.IntN(500))}
		id, err := h.Drop(types[random.IntN(len(types))], at)
		require.NoError(t, err)
		requireApart(t, h.Scene(), id)
		if random.IntN(3) == 0 {
			_, err = h.doc.AddNote("", at)
			require.NoError(t, err)
		}
		if random.IntN(3) == 0 {
			require.NoError(t, h.Duplicate())
			requireApart(t, h.Scene(), h.Selection.Set().Nodes[0])
		}
	}
	for i := range h.Scene().Cards {
		requireApart(t, h.Scene(), h.Scene().Cards[i].Node.ID)
	}
}

// Inserting into a wire makes room: the nodes behind move, and keep their arrangement.
func TestInsertingMakesRoom(t *testing.T) {
	h := newHand(t, editortest.Greet)
	out, _ := h.Scene().Card("out")
	fmt, _ := h.Scene().Card("fmt")
	before := out.Rect.Min.Sub(fmt.Rect.Min)
	id, err := h.Drop("text.slice", h.Scene().Wires[0].Way.Middle())
	require.NoError(t, err)
	who, _ := h.Scene().Card("who")
	made, _ := h.Scene().Card(id)
	fmt, _ = h.Scene().Card("fmt")
	out, _ = h.Scene().Card("out")
	require.GreaterOrEqual(t, made.Rect.Min.X, who.Rect.Max.X+24)
	require.GreaterOrEqual(t, fmt.Rect.Min.X, made.Rect.Max.X+24)
	require.Equal(t, before, out.Rect.Min.Sub(fmt.Rect.Min))
	requireApart(t, h.Scene(), id)
	h.Undo()
	require.Equal(t, editortest.Greet, editortest.Text(t, h.doc), "one step")

	loose, err := h.doc.Add("text.slice", geom.Point{X: 400, Y: 400})
	require.NoError(t, err)
	start := h.node(loose)
	h.drag(Pointer{At: start}, start.Add(geom.Point{X: 9, Y: 9}), h.Scene().Wires[0].Way.Middle())
	require.True(t, h.doc.Wired(loose))
	requireApart(t, h.Scene(), loose)
}

func TestShowScrollsLeastAndKeepsTheZoom(t *testing.T) {
	h := newHand(t, editortest.Greet)
	h.View.ZoomTo(0.8, geom.Point{})
	h.View.Pan = geom.Point{X: 100, Y: 100}
	seen := h.View
	require.True(t, h.Show("fmt"))
	require.Equal(t, seen, h.View, "it is in view")
	h.View.PanBy(geom.Point{X: -200})
	require.True(t, h.Show("who"))
	card, _ := h.Scene().Card("who")
	require.InDelta(t, 24, h.View.ToScreen(card.Extent().Min).X, 1, "just in view again, with some room")
	require.InDelta(t, seen.Pan.Y, h.View.Pan.Y, 0, "and not moved where it need not be")
	require.InDelta(t, 0.8, h.View.Zoom, 0)
	h.View.Size = geom.Point{X: 100, Y: 30}
	h.View.PanBy(geom.Point{X: 5000})
	require.True(t, h.Show("fmt"))
	card, _ = h.Scene().Card("fmt")
	require.InDelta(t, 0, h.View.ToScreen(card.Extent().Min).X, 1, "what is too large, from its corner on")
}
