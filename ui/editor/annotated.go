package editor

import "github.com/svcflow/svc/engine/workflow"

// NoteRect returns where a note lies.
func NoteRect(n *workflow.Note) Rect {
	var at Point
	if n.Position != nil {
		at = Point(*n.Position)
	}
	if n.Size == nil {
		return RectAt(at, noteWidth, noteHeight)
	}
	return RectAt(at, n.Size.W, n.Size.H)
}

// FrameAround returns the frame of a group whose cards lie in a rectangle.
func FrameAround(cards Rect) Rect {
	frame := cards.Grow(groupPadding)
	frame.Min.Y -= groupHeader
	return frame
}
