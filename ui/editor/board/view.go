package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
)

// Open shows the document as it is opened: all of it, if it can be.
func (b *Board) Open() {
	b.View.Open(b.doc.Bounds())
	b.opened = b.View
}

// Resize gives the view another size. As long as nobody has looked elsewhere, nor run it,
// the document is opened in that.
func (b *Board) Resize(size geom.Point) {
	untouched := b.untouched()
	b.View.Size = size
	if untouched {
		b.Open()
	}
}

func (b *Board) untouched() bool { return b.View == b.opened && b.Run == nil }

// Cover tells how much of the upper edge of the view lies under what is said there, in
// pixels. What has been seen whole is, and what began at the top does so below it; but who
// goes to a body that is shown on a card keeps the picture.
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

// FitAll shows the whole level, and what is gone from it while it is compared.
func (b *Board) FitAll() { b.View.Fit(b.bounds()) }

func (b *Board) bounds() geom.Rect {
	bounds := b.extent()
	if c := b.compared(); c != nil {
		bounds = bounds.Union(c.GoneBounds())
	}
	return bounds
}

// extent is what the level takes, with the values that hang below its cards.
func (b *Board) extent() geom.Rect {
	s := b.Scene()
	return s.Bounds.Union(s.Hanging(onLevel(b.doc.Path(), b.Pane)))
}

// FitSelection shows what is selected; all if nothing is.
func (b *Board) FitSelection() {
	b.sync()
	if r := b.doc.Around(b.Selection.Set()); !r.Empty() {
		b.View.Fit(r)
	} else {
		b.FitAll()
	}
}
