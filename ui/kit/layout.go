package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
)

// Fits shows the first of some objects that fits: alternatives from the widest to the
// narrowest. If none fits, it shows the last, which determines the minimum size.
func Fits(objects ...fyne.CanvasObject) *fyne.Container {
	for _, o := range objects[:len(objects)-1] {
		o.Hide()
	}
	return container.New(fitsLayout{}, objects...)
}

type fitsLayout struct{}

// Layout implements fyne.Layout.
func (fitsLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	found := false
	for i, o := range objects {
		shown := !found && (i == len(objects)-1 || o.MinSize().Width <= size.Width)
		found = found || shown
		if o.Visible() != shown {
			setVisible(o, shown)
		}
		if shown {
			o.Resize(size)
		}
	}
}

// MinSize implements fyne.Layout.
func (fitsLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := objects[len(objects)-1].MinSize()
	for _, o := range objects {
		least.Height = max(least.Height, o.MinSize().Height)
	}
	return least
}

// Ends puts two objects at the ends of a row. The first keeps its width; the second gets the
// rest of the row, at most its minimum width.
func Ends(first, last fyne.CanvasObject) *fyne.Container {
	return container.New(endsLayout{}, first, last)
}

type endsLayout struct{}

// Layout implements fyne.Layout.
func (endsLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	left := objects[0].MinSize().Width
	width := max(min(objects[1].MinSize().Width, size.Width-left), 0)
	box(0, 0, left, size.Height, objects[0])
	box(size.Width-width, 0, width, size.Height, objects[1])
}

// MinSize implements fyne.Layout.
func (endsLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	a, b := objects[0].MinSize(), objects[1].MinSize()
	return fyne.NewSize(a.Width, max(a.Height, b.Height))
}

// Wrap puts two objects at the ends of a row, or the second below the first if both do not
// fit.
func Wrap(first, last fyne.CanvasObject) *fyne.Container {
	return container.New(&wrapLayout{}, first, last)
}

type wrapLayout struct{ below bool }

// Layout implements fyne.Layout.
func (l *wrapLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	a, b := objects[0].MinSize(), objects[1].MinSize()
	l.below = a.Width+b.Width > size.Width
	if l.below {
		box(0, 0, a.Width, a.Height, objects[0])
		box(0, a.Height, b.Width, b.Height, objects[1])
		return
	}
	box(0, (size.Height-a.Height)/2, a.Width, a.Height, objects[0])
	box(size.Width-b.Width, (size.Height-b.Height)/2, b.Width, b.Height, objects[1])
}

// MinSize implements fyne.Layout.
func (l *wrapLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	a, b := objects[0].MinSize(), objects[1].MinSize()
	if l.below {
		return fyne.NewSize(max(a.Width, b.Width), a.Height+b.Height)
	}
	return fyne.NewSize(0, max(a.Height, b.Height))
}

// HeadingHeight returns the height of a heading in a list, in dp. A heading has more room
// above it, unless it is the first.
func HeadingHeight(first bool) float32 {
	if first {
		return 22
	}
	return 32
}

// Put sets the position and width of an object in a row, and centres it vertically, all in
// dp.
func Put(o fyne.CanvasObject, x, width, rowHeight float32) {
	height := o.MinSize().Height
	o.Move(fyne.NewPos(x, (rowHeight-height)/2))
	o.Resize(fyne.NewSize(max(width, 0), height))
}

// RowRenderer returns the renderer of a widget made of other objects, such as a row of a
// [List]: place lays them out, also at each refresh. The widget has a minimum height, in dp,
// and no minimum width.
func RowRenderer(of fyne.Widget, height float32, place func(size fyne.Size), parts ...fyne.CanvasObject) fyne.WidgetRenderer {
	return &rowRenderer{of, height, place, parts}
}

type rowRenderer struct {
	of     fyne.Widget
	height float32
	place  func(size fyne.Size)
	parts  []fyne.CanvasObject
}

func (r *rowRenderer) Refresh() {
	r.place(r.of.Size())
	for _, o := range r.parts {
		o.Refresh()
	}
	canvas.Refresh(r.of)
}

func (r *rowRenderer) Layout(size fyne.Size)        { r.place(size) }
func (r *rowRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.height) }
func (r *rowRenderer) Objects() []fyne.CanvasObject { return r.parts }
func (r *rowRenderer) Destroy()                     {}
