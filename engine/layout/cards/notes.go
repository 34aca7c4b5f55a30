package cards

import (
	"github.com/svcflow/svc/engine/layout"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// NoteRect returns the position and size of a note.
func NoteRect(n *workflow.Note) geom.Rect {
	var at geom.Point
	if n.Position != nil {
		at = geom.Point(*n.Position)
	}
	if n.Size == nil {
		return geom.RectAt(at, NoteWidth, NoteHeight)
	}
	return geom.RectAt(at, n.Size.W, n.Size.H)
}

// FrameAround returns the frame of a group whose cards are in a rectangle.
func FrameAround(cards geom.Rect) geom.Rect {
	frame := cards.Grow(layout.FramePadding)
	frame.Min.Y -= layout.FrameHeader
	return frame
}
