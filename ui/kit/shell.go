package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Parts are the parts that a [Shell] arranges around the centre. Centre is required; nil
// parts take no room.
type Parts struct {
	Top, Status         fyne.CanvasObject // bars across the whole width
	Left, Right, Bottom fyne.CanvasObject // panels that can be hidden
	Centre              fyne.CanvasObject
}

// Sides is the layout of a [Shell]: the sizes of the panels in dp, and which are hidden. It
// can be stored as JSON.
type Sides struct {
	Left         float32 `json:"left"`
	Right        float32 `json:"right"`
	Bottom       float32 `json:"bottom"`
	LeftFolded   bool    `json:"leftFolded,omitempty"`
	RightFolded  bool    `json:"rightFolded,omitempty"`
	BottomFolded bool    `json:"bottomFolded,omitempty"`
}

// DefaultSides returns the initial layout.
func DefaultSides() Sides { return Sides{Left: 232, Right: 320, Bottom: 184} }

// The sizes of a shell, in dp.
const (
	TopHeight    = 48
	StatusHeight = 26

	leastLeft, mostLeft     = 180, 420
	leastRight, mostRight   = 260, 640
	leastBottom, mostBottom = 96, 640
	leastCentre             = 380 // the minimum width
	leastCentreHigh         = 160
)

// Shell lays out the window: a bar at the top, one at the bottom, and panels left, right and
// below the centre. The user drags the inner edges of the panels. In a small window the
// panels shrink before the centre does, and if only one of the side panels fits, the other is
// hidden. The zero value is not usable; see [NewShell].
type Shell struct {
	widget.BaseWidget

	// OnChange is called when the user has released an edge. It may be nil.
	OnChange func()

	parts               Parts
	sides               Sides // as the user has chosen
	shown               Sides // as the window allows
	preferLeft          bool  // the left panel was shown last
	left, right, bottom *side
}

// side is one panel with its edge.
type side struct {
	content fyne.CanvasObject // clipped; nil without a panel
	ground  *fill
	edge    *edge
}

// NewShell returns a shell with the default layout.
func NewShell(p Parts) *Shell {
	s := &Shell{parts: p, sides: DefaultSides()}
	s.left = s.side(p.Left, false, &s.sides.Left, 1)
	s.right = s.side(p.Right, false, &s.sides.Right, -1)
	s.bottom = s.side(p.Bottom, true, &s.sides.Bottom, -1)
	s.ExtendBaseWidget(s)
	return s
}

// side makes a panel whose edge changes size. It grows when the pointer moves in the
// direction of sign.
func (s *Shell) side(content fyne.CanvasObject, flat bool, size *float32, sign float32) *side {
	if content == nil {
		return &side{}
	}
	e := newEdge(flat)
	start := float32(0)
	e.pressed = func() { start = *size }
	e.moved = func(by float32) {
		*size = start + sign*by
		s.fit()
		s.Refresh()
	}
	e.released = func() {
		if s.OnChange != nil {
			s.OnChange()
		}
	}
	clip := container.NewClip(content)
	clip.ExtendBaseWidget(clip) // otherwise it has no layout before it is drawn
	return &side{content: clip, ground: newFill(panelInk), edge: e}
}

// Sides returns the layout that the user has chosen. See [Shell.Shown].
func (s *Shell) Sides() Sides { return s.sides }

// SetSides sets the layout. Sizes are limited to their bounds, and 0 is the default.
func (s *Shell) SetSides(to Sides) {
	usual := DefaultSides()
	for _, size := range []struct{ set, usual *float32 }{{&to.Left, &usual.Left}, {&to.Right, &usual.Right}, {&to.Bottom, &usual.Bottom}} {
		if *size.set == 0 {
			*size.set = *size.usual
		}
	}
	s.sides = to
	s.fit()
	s.Refresh()
}

// SetLeftVisible shows or hides the left panel.
func (s *Shell) SetLeftVisible(visible bool) {
	s.preferLeft = visible
	s.fold(&s.sides.LeftFolded, !visible)
}

// SetRightVisible shows or hides the right panel.
func (s *Shell) SetRightVisible(visible bool) {
	s.preferLeft = !visible
	s.fold(&s.sides.RightFolded, !visible)
}

// SetBottomVisible shows or hides the bottom panel.
func (s *Shell) SetBottomVisible(visible bool) { s.fold(&s.sides.BottomFolded, !visible) }

func (s *Shell) fold(folded *bool, to bool) {
	*folded = to
	if s.divide(s.Size()) != s.shown {
		s.Refresh()
	}
}

// fit limits the sizes of the panels, independent of the window's size.
func (s *Shell) fit() {
	s.sides.Left = min(max(s.sides.Left, leastLeft), mostLeft)
	s.sides.Right = min(max(s.sides.Right, leastRight), mostRight)
	s.sides.Bottom = min(max(s.sides.Bottom, leastBottom), mostBottom)
}

// CreateRenderer implements fyne.Widget.
func (s *Shell) CreateRenderer() fyne.WidgetRenderer {
	r := &shellRenderer{s: s, under: newFill(lineInk), over: newFill(lineInk), top: newFill(panelInk), status: newFill(panelInk)}
	r.objects = append(r.objects, s.parts.Centre)
	for _, side := range []*side{s.left, s.right, s.bottom} {
		if side.content != nil {
			r.objects = append(r.objects, side.ground, side.content)
		}
	}
	for _, side := range []*side{s.left, s.right, s.bottom} { // above the contents, which they overlap
		if side.content != nil {
			r.objects = append(r.objects, side.edge)
		}
	}
	if s.parts.Top != nil {
		r.objects = append(r.objects, r.top, s.parts.Top, r.under)
	}
	if s.parts.Status != nil {
		r.objects = append(r.objects, r.status, s.parts.Status, r.over)
	}
	return r
}

type shellRenderer struct {
	s           *Shell
	objects     []fyne.CanvasObject
	under, over *fill // the hairlines of the bars
	top, status *fill // their backgrounds
}

// Layout lays out the parts, from the outside inwards.
func (r *shellRenderer) Layout(size fyne.Size) {
	s := r.s
	head, foot := bar(s.parts.Top, TopHeight), bar(s.parts.Status, StatusHeight)
	if head > 0 {
		box(0, 0, size.Width, head, r.top, s.parts.Top)
		box(0, head-1, size.Width, 1, r.under)
	}
	if foot > 0 {
		box(0, size.Height-foot, size.Width, foot, r.status, s.parts.Status)
		box(0, size.Height-foot, size.Width, 1, r.over)
	}
	height := size.Height - head - foot
	s.shown = s.divide(size)
	left, right, bottom := s.shown.Left, s.shown.Right, s.shown.Bottom
	s.left.place(0, head, left, height, left)
	s.right.place(size.Width-right, head, right, height, size.Width-right)
	s.bottom.place(left, head+height-bottom, size.Width-left-right, bottom, head+height-bottom)
	box(left, head, size.Width-left-right, height-bottom, s.parts.Centre)
}

// bar returns the height of a bar; 0 without one.
func bar(o fyne.CanvasObject, height float32) float32 {
	if o == nil {
		return 0
	}
	return height
}

func box(x, y, width, height float32, objects ...fyne.CanvasObject) {
	for _, o := range objects {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(max(width, 0), max(height, 0)))
	}
}

// place lays out the panel; its edge is along the line at.
func (p *side) place(x, y, width, height, at float32) {
	if p.content == nil {
		return
	}
	shown := width > 0 && height > 0
	for _, o := range []fyne.CanvasObject{p.content, p.ground, p.edge} {
		if o.Visible() != shown {
			setVisible(o, shown)
		}
	}
	box(x, y, width, height, p.ground, p.content)
	if p.edge.flat {
		box(x, at-edgeReach/2, width, edgeReach, p.edge)
	} else {
		box(at-edgeReach/2, y, edgeReach, height, p.edge)
	}
}

func setVisible(o fyne.CanvasObject, visible bool) {
	if visible {
		o.Show()
	} else {
		o.Hide()
	}
}

// Refresh lays out the parts.
func (r *shellRenderer) Refresh() {
	r.Layout(r.s.Size())
	for _, o := range []*fill{r.under, r.over, r.top, r.status} {
		o.Refresh()
	}
	canvas.Refresh(r.s)
}

// MinSize allows a small window, whatever the minimum sizes of the panels.
func (r *shellRenderer) MinSize() fyne.Size           { return fyne.NewSize(640, 400) }
func (r *shellRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *shellRenderer) Destroy()                     {}

// Shown returns the present layout: in a small window, panels are smaller than the user has
// chosen, or hidden. Hidden panels have size 0.
func (s *Shell) Shown() Sides { return s.shown }

// divide computes the sizes of the panels.
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

// squeeze limits a size to the available room, but not below least.
func squeeze(size, least, room float32) float32 { return min(size, max(room, least)) }

// share shrinks the side panels if both do not fit, in proportion to what each can give.
func share(left, right, room float32) (float32, float32) {
	over := left + right - room
	can := left + right - leastLeft - leastRight
	if over <= 0 || can <= 0 {
		return left, right
	}
	part := min(over/can, 1)
	return left - part*(left-leastLeft), right - part*(right-leastRight)
}
