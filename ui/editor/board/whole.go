package board

import "github.com/svcflow/svc/ui/editor/scene"

// FullView returns a board of its own that shows all of the level, as large as it is but no
// side longer than most pixels, with the run that lies over it: for a picture of it. Nothing
// is selected, no gesture is under way and no grid is drawn. It is nil if the level is empty.
func (b *Board) FullView(most float64) *Board {
	const margin = 24
	b.sync()
	s := b.Scene()
	bounds := b.extent()
	for i := range s.Wires {
		bounds = bounds.Union(s.Wires[i].Way.Bounds())
	}
	if bounds.Empty() {
		return nil
	}
	bounds = bounds.Grow(margin)
	zoom := min(1, most/max(bounds.W(), bounds.H()))
	whole := New(b.doc, bounds.W()*zoom, bounds.H()*zoom)
	whole.View.Zoom, whole.View.Pan = zoom, bounds.Min.Scale(-zoom)
	whole.Run, whole.Pane, whole.Pinned, whole.problems = b.Run, b.idle, b.Pinned, b.problems
	whole.bare = true
	return whole
}

// idle returns what the card of a node shows, by its path, without what can be done with that.
func (b *Board) idle(path string) *scene.Pane {
	if b.Pane == nil {
		return nil
	}
	shown := b.Pane(path)
	if shown == nil || shown.Action == "" {
		return shown
	}
	still := *shown
	still.Action = ""
	return &still
}
