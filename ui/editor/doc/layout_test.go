package doc_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestLayoutIsInLayersWithoutOverlaps(t *testing.T) {
	d := doc.New(editortest.Lattice(60), editortest.Specs(t))
	require.NoError(t, d.Disconnect(d.Connections()[30:60]...))
	require.NoError(t, d.Layout())
	requireToTheRight(t, d, 0)
	cards := d.Cards()
	for i := range cards {
		for k := range i {
			require.False(t, cards[i].Rect.Overlaps(cards[k].Rect), "%d and %d", i, k)
		}
	}
	again := doc.New(editortest.Lattice(60), editortest.Specs(t))
	require.NoError(t, again.Disconnect(again.Connections()[30:60]...))
	require.NoError(t, again.Layout())
	require.Equal(t, editortest.Text(t, d), editortest.Text(t, again), "deterministic")
	arranged := editortest.Text(t, d)
	require.NoError(t, d.Layout())
	require.Equal(t, arranged, editortest.Text(t, d), "arranged is arranged")
}

func TestLayoutOfSome(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	require.NoError(t, d.Layout("fmt", "out"))
	n, _ := d.Node("who")
	require.Equal(t, &workflow.Position{X: 0, Y: 0}, n.Position, "the rest stays")
	n, _ = d.Node("fmt")
	require.Equal(t, &workflow.Position{X: 240, Y: 0}, n.Position, "the corner of the selection stays")
}

// TestLayoutOfRandomDocuments arranges cards, circles with names that are wider than
// they are, and groups.
func TestLayoutOfRandomDocuments(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		def := editortest.Lattice(20 + r.IntN(60))
		for i := range def.Nodes {
			def.Nodes[i].Label = strings.Repeat("name ", r.IntN(8))
			def.Nodes[i].Position = nil
		}
		r.Shuffle(len(def.Connections), func(i, k int) {
			def.Connections[i], def.Connections[k] = def.Connections[k], def.Connections[i]
		})
		def.Connections = def.Connections[:r.IntN(len(def.Connections))]
		def.Groups = []workflow.Group{{ID: "g", NodeIDs: []string{"n3", "n4", "n9"}}, {ID: "h", NodeIDs: []string{"n8", "n12"}}}
		d := doc.New(def, editortest.Specs(t))
		requireApart(t, d.Cards(), seed)
		require.NoError(t, d.Layout())
		requireApart(t, d.Cards(), seed)
		requireToTheRight(t, d, seed)
	}
}

// requireApart requires that no cards overlap.
func requireApart(t *testing.T, cards []cards.Card, seed uint64) {
	t.Helper()
	for i := range cards {
		for k := range i {
			require.False(t, cards[i].Extent().Overlaps(cards[k].Extent()), "%d and %d of %d", i, k, seed)
		}
	}
}

// requireToTheRight requires that all wires lead to the right.
func requireToTheRight(t *testing.T, d *doc.Document, seed uint64) {
	t.Helper()
	for _, w := range d.Connections() {
		from, _ := d.Card(w.FromNodeID)
		to, _ := d.Card(w.ToNodeID)
		require.Less(t, from.Rect.Max.X, to.Rect.Min.X, "%v of %d", w, seed)
	}
}

func TestLayoutKeepsGroupsTogether(t *testing.T) {
	def := editortest.Lattice(20)
	for _, end := range []string{"a", "b", "c", "d", "e"} {
		def.Nodes = append(def.Nodes, workflow.Node{ID: end, Type: "text.join"})
		def.Connections = append(def.Connections, editortest.Conn("n5", "text", end, "parts"))
	}
	def.Groups = []workflow.Group{
		{ID: "a chain", NodeIDs: []string{"n10", "n11"}},
		{ID: "apart", NodeIDs: []string{"a", "e"}},
		{ID: "out and in again", NodeIDs: []string{"n14", "n16"}},
	}
	d := doc.New(def, editortest.Specs(t))
	require.NoError(t, d.Layout())
	cards := d.Cards()
	for _, frame := range d.Frames()[:2] {
		for i := range cards {
			inside := slices.Contains(frame.NodeIDs, cards[i].Node.ID)
			require.Equal(t, inside, frame.Rect.Overlaps(cards[i].Extent()), "%s in %s", cards[i].Node.ID, frame.ID)
		}
	}
	requireToTheRight(t, d, 0)
}

func TestLayoutLeavesNotesLegible(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	_, err := d.AddNote("in the way", geom.Point{X: 20, Y: 20})
	require.NoError(t, err)
	require.NoError(t, d.Layout())
	cards := d.Cards()
	for _, n := range d.Stickies() {
		for i := range cards {
			require.False(t, n.Rect.Overlaps(cards[i].Rect), "note %s", n.ID)
		}
	}
	require.Equal(t, &workflow.Position{X: 0, Y: 200}, d.Notes()[0].Position, "a note that is in nobody's way stays")
}

func TestNodesWithoutPositionGetOne(t *testing.T) {
	d := editortest.Open(t, editortest.Chain)
	before := map[string]geom.Rect{}
	for _, c := range d.Cards() {
		before[c.Node.ID] = c.Rect
	}
	require.Len(t, before, 6)
	require.Equal(t, editortest.Chain, editortest.Text(t, d), "to look at a document does not change it")
	require.NoError(t, d.SetLabel("up", "a longer label than before, and so a wider card"))
	for _, c := range d.Cards() {
		require.Equal(t, before[c.Node.ID].Min, c.Rect.Min, "nothing jumps")
	}
	require.NoError(t, d.Move(doc.Set{Nodes: []string{"who"}}, geom.Point{X: 8, Y: 8}))
	for _, c := range d.Cards() {
		require.NotNil(t, c.Node.Position)
		if c.Node.ID != "who" {
			require.Equal(t, before[c.Node.ID].Min, geom.Point(*c.Node.Position))
		}
	}
	d.Undo()
	d.Undo()
	require.Equal(t, editortest.Chain, editortest.Text(t, d))
}

func TestAlignAndDistribute(t *testing.T) {
	tests := []struct {
		edge doc.Edge
		at   func(geom.Rect) float64
	}{
		{doc.AlignLeft, func(r geom.Rect) float64 { return r.Min.X }},
		{doc.AlignRight, func(r geom.Rect) float64 { return r.Max.X }},
		{doc.AlignTop, func(r geom.Rect) float64 { return r.Min.Y }},
		{doc.AlignBottom, func(r geom.Rect) float64 { return r.Max.Y }},
		{doc.AlignCenter, func(r geom.Rect) float64 { return r.Center().X }},
		{doc.AlignMiddle, func(r geom.Rect) float64 { return r.Center().Y }},
	}
	ids := []string{"a", "b", "c"}
	three := `{"id":"x","nodes":[{"id":"a","type":"text.slice","position":{"x":0,"y":0}},{"id":"b","type":"pronet.send","position":{"x":300,"y":33}},` +
		`{"id":"c","type":"text.to_text","position":{"x":900,"y":500}}],"connections":[]}`
	for _, test := range tests {
		d := editortest.Open(t, three)
		require.NoError(t, d.Align(test.edge, ids...))
		all := d.Cards()
		require.InDelta(t, test.at(all[0].Rect), test.at(all[1].Rect), 1)
		require.InDelta(t, test.at(all[0].Rect), test.at(all[2].Rect), 1)
	}
	d := editortest.Open(t, three)
	require.NoError(t, d.Distribute(doc.Horizontal, ids...))
	require.NoError(t, d.Distribute(doc.Vertical, ids...))
	a, b, c := d.Cards()[0].Rect, d.Cards()[1].Rect, d.Cards()[2].Rect
	require.InDelta(t, b.Min.X-a.Max.X, c.Min.X-b.Max.X, 1)
	require.InDelta(t, b.Min.Y-a.Max.Y, c.Min.Y-b.Max.Y, 1)
	require.Equal(t, geom.Point{X: 900, Y: 500}, c.Min, "the outermost stay")
}

// TestAServerLaysOutAsTheEditorDoes compares Layout with what a server answers.
func TestAServerLaysOutAsTheEditorDoes(t *testing.T) {
	registry := editortest.Registry(t)
	const led = `"toPort":"name","via":[{"x":200,"y":160}]`
	for _, stored := range []string{editortest.Greet, editortest.Empty, editortest.Chain, editortest.Mixed, strings.Replace(editortest.Greet, `"toPort":"name"`, led, 1)} {
		d := editortest.Open(t, stored)
		def := d.Definition()
		want := cards.Arranged(def, registry)
		require.Equal(t, stored, editortest.Text(t, d), "nothing is changed")
		require.NoError(t, d.Layout())
		for i, c := range d.Cards() {
			got := want.Nodes[i]
			require.Equal(t, geom.RectAt(geom.Point{X: got.X, Y: got.Y}, got.W, got.H), c.Rect, "%s of %s", c.Node.ID, def.ID)
		}
		for i, n := range d.Stickies() {
			require.Equal(t, geom.Point{X: want.Notes[i].X, Y: want.Notes[i].Y}, n.Rect.Min, "%s of %s", n.ID, def.ID)
		}
		for _, w := range want.Wires {
			c := def.Connections[w.Connection]
			a, ok := d.Anchor(cards.PortRef{Node: c.ToNodeID, Port: c.ToPort})
			require.True(t, ok)
			require.Equal(t, cards.Point(a.At), w.Points[len(w.Points)-1])
			if via := d.Connections()[w.Connection].Via; via != nil {
				require.Equal(t, cards.Point((*via)[0]), w.Points[1], "led over the same points")
			}
		}
	}
}
