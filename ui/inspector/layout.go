package inspector

import "fyne.io/fyne/v2"

// twice gives a scroll its size and, where its width is a new one, lays it out again:
// only now do the texts in it know how high they are.
type twice struct{}

// Layout implements fyne.Layout.
func (twice) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.Position{})
		known := o.Size().Width == size.Width
		o.Resize(size)
		if !known {
			o.Refresh()
		}
	}
}

// MinSize implements fyne.Layout.
func (twice) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size = size.Max(o.MinSize())
	}
	return size
}

// beside is an entry with a button at its right, which is as high as the entry.
type beside struct{}

// Layout implements fyne.Layout.
func (beside) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	const gap = 6
	width := objects[1].MinSize().Width
	objects[0].Resize(fyne.NewSize(size.Width-width-gap, size.Height))
	objects[0].Move(fyne.Position{})
	objects[1].Resize(fyne.NewSize(width, size.Height))
	objects[1].Move(fyne.NewPos(size.Width-width, 0))
}

// MinSize implements fyne.Layout.
func (beside) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[0].MinSize().AddWidthHeight(objects[1].MinSize().Width, 0)
}
