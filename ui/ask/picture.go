package ask

import (
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// AskPicture asks for the file of a picture, and proposes one.
func (d *Dialogs) AskPicture(proposed string, then func(file string)) {
	path := kit.NewEntry()
	path.SetText(proposed)
	folder := kit.NewButton(lang.L("Folder…"), func() {
		browser{on: d, folder: true, then: func(dir string) {
			path.SetText(filepath.Join(dir, filepath.Base(path.Text)))
		}}.in(filepath.Dir(path.Text))
	})
	const width = 520
	d.form(lang.L("Export a picture"), lang.L("Export"), []*widget.FormItem{{
		Text: lang.L("File"), Widget: container.NewBorder(nil, nil, nil, folder, path),
		HintText: lang.L("PNG, SVG or PDF, by how its name ends"),
	}}, width, []fyne.Focusable{path}, func() { then(path.Text) })
}
