package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
)

// Open shows the document as when it is opened: completely, if possible.
func (b *Board) Open() {
	b.View.Open(b.doc.Bounds())
	b.opened = b.View
}

// Resize changes the size of the view. Until the user has moved the view or run the document,
// it shows the document as when it is opened.
func (b *Board) Resize(size geom.Point) {
	untouched := b.untouched()
	b.View.Size = size
	if untouched {
		b.Open()
	}
}

func (b *Board) untouched() bool { return b.View == b.opened && b.Run == nil }

// Cover sets how much of the upper edge of the view messages cover, in pixels. A document
// that was completely visible stays so, and one that began at the top begins below the
// messages. While the user is in a body that is shown on a card, the view does not move.
func (b *Board) Cover(top float64) {
	if top == b.View.Top {
		return
	}
	b.sync()
	bounds, untouched := b.bounds(), b.untouched()
	whole, begins := b.View.Shows(bounds), b.View.ToScreen(bounds.Min).Y
	b.View.Top = top
	switch {
	case untouched:
		b.Open()
	case b.Inside(), bounds.Empty(), begins < 0, begins >= top:
	case whole:
		if b.View.Reveal(bounds); !b.View.Shows(bounds) {
			b.FitAll()
		}
	default:
		b.View.PanBy(geom.Point{Y: top - begins})
	}
}

// FitAll shows the whole level, including removed parts of a comparison.
func (b *Board) FitAll() { b.View.Fit(b.bounds()) }

func (b *Board) bounds() geom.Rect {
	bounds := b.extent()
	if c := b.compared(); c != nil {
		bounds = bounds.Union(c.GoneBounds())
	}
	return bounds
}

// extent returns the bounds of the level, including the values that hang below cards.
func (b *Board) extent() geom.Rect {
	s := b.Scene()
	return s.Bounds.Union(s.Hanging(onLevel(b.doc.Path(), b.Pane)))
}

// FitSelection shows the selection, or the whole level if it is empty.
func (b *Board) FitSelection() {
	b.sync()
	if r := b.doc.Around(b.Selection.Set()); !r.Empty() {
		b.View.Fit(r)
	} else {
		b.FitAll()
	}
}
