package board

import (
	"slices"
	"strings"
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

// crowded is a large workflow with a group, of whose nodes one each is selected, has failed and
// is running.
func crowded(t *testing.T) *Board {
	t.Helper()
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
	return b
}

// TestTitlesThatMatterAreReadAtEveryZoom looks at each of them from near and from afar.
func TestTitlesThatMatterAreReadAtEveryZoom(t *testing.T) {
	b := crowded(t)
	places := map[string]geom.Point{"First row": b.Scene().Groups[0].Rect.Min.Add(geom.Point{X: 80, Y: 20})}
	for id, name := range map[string]string{"n41": "Selected", "n100": "Failed", "n200": "Running"} {
		card, ok := b.Scene().Card(id)
		require.True(t, ok)
		places[name] = card.Rect.Center()
	}
	for _, zoom := range []float64{0.08, 0.1, 0.15, 0.2, 0.29, 0.3, 0.36, 0.42, 0.49, 0.5, 0.55, 0.66, 0.8, 1, 1.5, 2.01} {
		for name, at := range places {
			b.View.ZoomTo(zoom, geom.Point{})
			b.View.PanBy(b.View.Size.Scale(0.5).Sub(b.View.ToScreen(at)))
			size := float32(0)
			for _, i := range b.Draw() {
				if i.Kind == scene.ItemText && strings.HasPrefix(i.Text, name[:5]) {
					size = max(size, i.Size)
				}
			}
			require.GreaterOrEqual(t, size, float32(11.49), "%q at %v", name, zoom)
		}
	}
}

// Names of important nodes move aside for another name. A box may lack a name only if it has
// no room on itself or beside.
func TestNoBoxIsWithoutAName(t *testing.T) {
	for _, zoom := range []float64{0.15, 0.2, 0.3, 0.42, 0.49, 0.5, 0.66, 1} {
		b := New(editortest.Open(t, editortest.Greet), 1280, 800)
		b.View.ZoomTo(zoom, geom.Point{})
		names := []string{"who", "greeting", "Greet", "Says"}
		if zoom >= 0.42 {
			names = append(names, "Format") // otherwise the name of its group is there
		}
		for _, name := range names {
			require.True(t, slices.ContainsFunc(b.Draw(), func(i scene.Item) bool {
				return i.Kind == scene.ItemText && strings.HasPrefix(i.Text, name) && i.Size > 11.4
			}), "%q at %v", name, zoom)
		}
	}
	b := New(editortest.Open(t, editortest.Greet), 1280, 800)
	b.View.ZoomTo(0.08, geom.Point{})
	b.SelectAll()
	for _, name := range []string{"Greeting", "who", "Format", "greeting"} {
		require.True(t, slices.ContainsFunc(b.Draw(), func(i scene.Item) bool { return strings.HasPrefix(i.Text, name) }), name)
	}
}

// The name below a circle uses all free room, but not that of another name.
func TestNamesOfCirclesAreNotCut(t *testing.T) {
	const title = "Send a message to them"
	for _, zoom := range []float64{0.36, 0.42, 0.49, 0.5, 0.6, 0.8, 1, 2} {
		far := `{"id":"c","nodes":[{"id":"a","type":"pronet.send","label":"` + title + `","position":{"x":100,"y":100}}%s],"connections":[]}`
		texts := func(more string) (texts []string) {
			b := New(editortest.Open(t, strings.Replace(far, "%s", more, 1)), 1280, 800)
			b.View.ZoomTo(zoom, geom.Point{})
			var boxes []geom.Rect
			for _, i := range b.Draw() {
				if i.Kind == scene.ItemText {
					for _, other := range boxes {
						require.False(t, other.Overlaps(i.Box), "%q lies over another at %v", i.Text, zoom)
					}
					texts, boxes = append(texts, i.Text), append(boxes, i.Box)
				}
			}
			return texts
		}
		require.Contains(t, texts(""), title, "at %v", zoom)
		beside := texts(`,{"id":"b","type":"pronet.send","label":"` + title + `","position":{"x":340,"y":100}}`)
		require.Len(t, beside, 2, "both have a name at %v", zoom)
	}
}

// TestNamesAreReadFromAfar zooms out of a large workflow: all selected, failed and running
// nodes and all groups have a readable name, and no names overlap.
func TestNamesAreReadFromAfar(t *testing.T) {
	b := crowded(t)
	for _, zoom := range []float64{0.49, 0.3, 0.2, 0.12, 0.08} {
		b.View.Begin(b.Scene().Bounds)
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
	b.View.Begin(b.Scene().Bounds)
	b.View.ZoomTo(0.45, geom.Point{})
	texts := map[string]bool{}
	for _, i := range b.Draw() {
		texts[i.Text] = true
	}
	require.True(t, texts["Plain"], "where there is room, all have one")
}
