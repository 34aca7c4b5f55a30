package board

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// FuzzBoard plays random commands and gestures. Nothing may break an invariant, and
// undoing everything has to give the first document back, redoing it the last.
func FuzzBoard(f *testing.F) {
	f.Add(uint8(0), []byte("any old text will do as a first tape of choices, as long as it is long"))
	f.Add(uint8(1), []byte{0, 1, 2, 3, 0, 4, 9, 9, 32, 0, 1, 2, 3, 34, 35, 37, 37})
	f.Add(uint8(2), []byte{12, 200, 7, 44, 2, 2, 0, 1, 43, 3, 1, 0, 1, 1, 2, 6, 6, 6, 31, 2, 2, 1, 0, 33, 0, 0, 5})
	specs := editortest.Specs(f)
	f.Fuzz(func(t *testing.T, doc uint8, data []byte) { playTape(t, specs, doc, data) })
}

// TestRandomPlay is FuzzBoard with long tapes, which a fuzzer takes long to find.
func TestRandomPlay(t *testing.T) {
	specs := editortest.Specs(t)
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 600)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { playTape(t, specs, uint8(seed), data) })
	}
}

func playTape(t *testing.T, specs *doc.Specs, which uint8, data []byte) {
	t.Helper()
	docs := []string{editortest.Greet, editortest.Empty, editortest.Strange}
	first := docs[int(which)%len(docs)]
	def, err := workflow.Decode([]byte(first), workflow.DefaultLimits())
	require.NoError(t, err)
	p := &player{tape: &tape{data}, b: New(doc.New(def, specs), 1280, 800)}
	for range 60 {
		if len(p.data) == 0 || len(p.b.doc.Definition().Nodes) > 200 {
			break
		}
		p.play()
		checkBoard(t, p.b, first != editortest.Strange)
	}
	checkHistory(t, p.b.doc, first)
}

// checkHistory walks the history to both ends, twice.
func checkHistory(t *testing.T, d *doc.Document, first string) {
	t.Helper()
	for d.CanRedo() != "" {
		d.Redo()
	}
	last := editortest.Text(t, d)
	for range 2 {
		for d.CanUndo() != "" {
			d.Undo()
		}
		require.Equal(t, first, editortest.Text(t, d), "undo of everything")
		for d.CanRedo() != "" {
			d.Redo()
		}
		require.Equal(t, last, editortest.Text(t, d), "redo of everything")
	}
}

// checkBoard checks what always has to hold. sound is whether the first document
// had no mistakes, so that the present one must have none either.
func checkBoard(t *testing.T, b *Board, sound bool) {
	t.Helper()
	items := b.Draw()
	d := b.doc
	stored := editortest.Text(t, d)
	again, err := workflow.Decode([]byte(stored), workflow.Limits{})
	require.NoError(t, err, "a document that can be stored")
	require.Equal(t, stored, string(again.AppendJSON(nil)))
	if sound {
		checkLevel(t, d.Definition())
		checkFanIn(t, d)
	}
	set := b.Selection.Set()
	for _, id := range set.Nodes {
		_, ok := d.Node(id)
		require.True(t, ok, "a selected node exists")
	}
	for _, w := range set.Wires {
		require.Contains(t, d.Connections(), w)
	}
	scene := scene.New(d)
	require.Len(t, scene.Cards, len(d.Nodes()))
	if sound {
		require.Len(t, scene.Wires, len(d.Connections()), "every wire is drawn")
	}
	for _, item := range items {
		for _, x := range []float64{item.Box.Min.X, item.Box.Min.Y, item.Box.Max.X, item.Box.Max.Y, item.Curve[1].X, item.Curve[2].Y} {
			require.False(t, math.IsNaN(x) || math.IsInf(x, 0))
		}
	}
}

// checkLevel checks a definition and the bodies in it.
func checkLevel(t *testing.T, def *workflow.Definition) {
	t.Helper()
	ids := map[string]bool{}
	for i := range def.Nodes {
		n := &def.Nodes[i]
		require.False(t, ids[n.ID], "id %q is there twice", n.ID)
		require.NoError(t, workflow.CheckNodeID(n.ID))
		ids[n.ID] = true
		if n.Body != nil {
			checkLevel(t, n.Body)
		}
	}
	next := map[string][]string{}
	for _, c := range def.Connections {
		require.True(t, ids[c.FromNodeID] && ids[c.ToNodeID], "wire %v has ends", c)
		next[c.FromNodeID] = append(next[c.FromNodeID], c.ToNodeID)
	}
	for _, g := range def.Groups {
		require.NotEmpty(t, g.NodeIDs)
		for _, id := range g.NodeIDs {
			require.True(t, ids[id], "node %q of group %q exists", id, g.ID)
		}
	}
	require.False(t, cyclic(next), "no cycle")
}

// checkFanIn checks that no input has two wires unless it takes lists.
func checkFanIn(t *testing.T, d *doc.Document) {
	t.Helper()
	wires := map[cards.PortRef]int{}
	for _, w := range d.Connections() {
		wires[cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false}]++
	}
	for i := range d.Nodes() {
		inputs, _, err := d.Ports(d.Nodes()[i].ID)
		require.NoError(t, err)
		for _, p := range inputs {
			if p.Type.Kind() != value.KindList && p.Type.Kind() != value.KindAny {
				require.LessOrEqual(t, wires[cards.PortRef{Node: d.Nodes()[i].ID, Port: p.Name, Output: false}], 1)
			}
		}
	}
}

func cyclic(next map[string][]string) bool {
	state := map[string]int{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if state[id] != 0 {
			return state[id] == 1
		}
		state[id] = 1
		again := slices.ContainsFunc(next[id], visit)
		state[id] = 2
		return again
	}
	for id := range next {
		if visit(id) {
			return true
		}
	}
	return false
}
