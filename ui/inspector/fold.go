package inspector

import (
	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/ui/kit"
)

// fold is a part of a page below a title that opens and closes it. Whether it is
// open holds for all pages.
type fold struct {
	desk    *desk
	title   string
	arrow   *glyph
	content fyne.CanvasObject
	whole   *fyne.Container
}

// newFold returns a fold. key tells it from others, whatever the title is called in
// the user's language.
func newFold(d *desk, key, title string, content fyne.CanvasObject) *fold {
	f := &fold{desk: d, title: key, content: content}
	f.arrow = newGlyph(fynetheme.IconNameMenuExpand, "", f.toggle)
	head := kit.Row(2, kit.NewText(title, kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim}), f.arrow)
	f.whole = kit.Column(8, kit.NewTouch(head, f.toggle), content)
	f.show()
	return f
}

func (f *fold) toggle() {
	f.desk.open[f.title] = !f.desk.open[f.title]
	f.show()
	f.desk.relayout()
}

func (f *fold) show() {
	if f.desk.open[f.title] {
		f.content.Show()
		f.arrow.icon = fynetheme.IconNameArrowDropDown
	} else {
		f.content.Hide()
		f.arrow.icon = fynetheme.IconNameMenuExpand
	}
	f.arrow.Refresh()
}
