package board

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// TestNamesAreReadFromAfar goes away from a large workflow: whatever is selected, failed,
// running or a group has a name that can be read, and no name lies over another.
func TestNamesAreReadFromAfar(t *testing.T) {
	def := editortest.Lattice(400)
	def.Nodes[41].Label, def.Nodes[5].Label, def.Nodes[100].Label, def.Nodes[200].Label = "Selected", "Plain", "Failed", "Running"
	def.Groups = []workflow.Group{{ID: "g", Label: "First row", NodeIDs: []string{"n300", "n301"}}}
	b := New(doc.New(def, editortest.Specs(t)), 1280, 800)
	b.Selection.Replace(doc.Set{Nodes: []string{"n41"}})
	b.Run = &fold.State{}
	for _, e := range []engine.Event{
		{Name: engine.EventStarted, RunID: "r"},
		{Name: engine.EventStarted, NodeID: "n100"},
		{Name: engine.EventNode, NodeID: "n100", Status: engine.StatusFailed, Error: &engine.Failure{Code: "x"}},
		{Name: engine.EventStarted, NodeID: "n200"},
	} {
		b.Run.Apply(e)
	}
	for _, zoom := range []float64{0.49, 0.3, 0.2, 0.12, 0.08} {
		b.View.Open(b.Scene().Bounds)
		b.View.ZoomTo(zoom, geom.Point{})
		names := map[string]float32{}
		var plates []geom.Rect
		for _, i := range b.Draw() {
			if i.Kind != scene.ItemText {
				continue
			}
			names[i.Text] = i.Size
			for _, other := range plates {
				require.False(t, other.Overlaps(i.Box), "%q lies over another at %v", i.Text, zoom)
			}
			plates = append(plates, i.Box)
		}
		for _, name := range []string{"First row", "Selected", "Failed", "Running"} {
			if zoom > 0.12 {
				continue // not all is in view from so near
			}
			require.InDelta(t, 11.5, names[name], 0.1, "%q at %v", name, zoom)
		}
		require.LessOrEqual(t, len(names), 121)
	}
	b.View.Open(b.Scene().Bounds)
	b.View.ZoomTo(0.45, geom.Point{})
	texts := map[string]bool{}
	for _, i := range b.Draw() {
		texts[i.Text] = true
	}
	require.True(t, texts["Plain"], "where there is room, all have one")
}
