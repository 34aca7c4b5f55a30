package board

import "github.com/svcflow/svc/ui/editor/scene"

// FullView returns another board that shows the whole level and the run on it, at a zoom of
// at most 1 and with no side longer than most pixels, for export as a picture. It has no
// selection, gesture or grid. It is nil if the level is empty.
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

// idle returns the value that a node's card shows, by path, without its action.
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
