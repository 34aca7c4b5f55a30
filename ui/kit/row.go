package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// HeadingHeight returns the height of a heading in a list, in dp. It keeps away from
// what is above it, but not from the top.
func HeadingHeight(first bool) float32 {
	if first {
		return 22
	}
	return 32
}

// Put gives an object of a row that width, and its own height in the middle of the
// row's, all in dp.
func Put(o fyne.CanvasObject, x, width, rowHeight float32) {
	height := o.MinSize().Height
	o.Move(fyne.NewPos(x, (rowHeight-height)/2))
	o.Resize(fyne.NewSize(max(width, 0), height))
}

// RowRenderer returns what draws a widget that is made of others, such as a row of a
// [List]: place lays them out, and does so again at each refresh. The widget asks for
// height, in dp, and for no width.
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
