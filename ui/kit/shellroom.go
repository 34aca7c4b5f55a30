package kit

import "fyne.io/fyne/v2"

// Shown returns how the shell is divided now: in a small window, panels are smaller than
// the user wishes, or folded away. Those that are folded have no size.
func (s *Shell) Shown() Sides { return s.shown }

// divide gives each panel what there is room for.
func (s *Shell) divide(size fyne.Size) Sides {
	d := s.sides
	d.LeftFolded = d.LeftFolded || s.left.content == nil
	d.RightFolded = d.RightFolded || s.right.content == nil
	d.BottomFolded = d.BottomFolded || s.bottom.content == nil
	room := size.Width - leastCentre
	if !d.LeftFolded && !d.RightFolded && room < leastLeft+leastRight {
		d.LeftFolded, d.RightFolded = !s.preferLeft, s.preferLeft
	}
	switch {
	case d.LeftFolded:
		d.Right = squeeze(d.Right, leastRight, room)
	case d.RightFolded:
		d.Left = squeeze(d.Left, leastLeft, room)
	default:
		d.Left, d.Right = share(d.Left, d.Right, room)
	}
	height := size.Height - bar(s.parts.Top, TopHeight) - bar(s.parts.Status, StatusHeight)
	d.Bottom = squeeze(d.Bottom, leastBottom, height-leastCentreHigh)
	for _, p := range []struct {
		folded bool
		size   *float32
	}{{d.LeftFolded, &d.Left}, {d.RightFolded, &d.Right}, {d.BottomFolded, &d.Bottom}} {
		if p.folded {
			*p.size = 0
		}
	}
	return d
}

// squeeze returns as much of a size as there is room for, and what is needed at least.
func squeeze(size, least, room float32) float32 { return min(size, max(room, least)) }

// share makes the panels at the sides smaller where there is no room for both: each gives
// the same part of what it can.
func share(left, right, room float32) (float32, float32) {
	over := left + right - room
	can := left + right - leastLeft - leastRight
	if over <= 0 || can <= 0 {
		return left, right
	}
	part := min(over/can, 1)
	return left - part*(left-leastLeft), right - part*(right-leastRight)
}
