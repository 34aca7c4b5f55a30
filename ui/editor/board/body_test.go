package board

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// A container is drawn with a frame, its number of nodes, and the iteration.
func TestContainersLookLikeContainers(t *testing.T) {
	h := newHand(t, editortest.Greet)
	id, err := h.doc.Add("control.foreach", geom.Point{X: 40, Y: 400})
	require.NoError(t, err)
	card, _ := h.Scene().Card(id)
	texts := func() (all []string) {
		for _, i := range h.Draw() {
			all = append(all, i.Text)
		}
		return all
	}
	frames := 0
	for _, i := range h.Draw() {
		if i.Kind == scene.ItemRect && i.Fill == (scene.Paint{}) && i.Box.Contains(card.Rect.Min) && i.Box.Contains(card.Rect.Max) {
			frames++
		}
	}
	require.Equal(t, 2, frames)
	require.Contains(t, texts(), "3 nodes")

	h.Run = &fold.State{}
	h.Run.Apply(engine.Event{Name: engine.EventStarted, NodeID: id})
	h.Run.Apply(engine.Event{Name: engine.EventStarted, NodeID: id + "/1/item"})
	h.Run.Apply(engine.Event{Name: engine.EventProgress, NodeID: id, Step: 1, Total: 5})
	require.True(t, slices.Contains(texts(), "3 nodes · round 2 of 5"), "%q", texts())
	h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: id, Status: engine.StatusSucceeded})
	require.Contains(t, texts(), "3 nodes · 5 rounds")
	h.View.ZoomTo(0.4, geom.Point{})
	require.NotContains(t, texts(), "3 nodes · 5 rounds", "nobody could read it")
}
