package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// AskTest asks for the file and the name of a test case, and proposes both.
func (d *Dialogs) AskTest(file, name string, then func(file, name string)) {
	path, called := kit.NewEntry(), kit.NewEntry()
	path.SetText(file)
	called.SetText(name)
	const width = 520
	d.form(lang.L("Save the run as a test"), lang.L("Save"), []*widget.FormItem{
		{Text: lang.L("Name"), Widget: called, HintText: lang.L("What the case is called")},
		{Text: lang.L("File"), Widget: path, HintText: lang.L("Ends in .test.json; a case is added to one that is there")},
	}, width, []fyne.Focusable{called, path}, func() { then(path.Text, called.Text) })
}
