package ui

import (
	"errors"
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// saveAs asks for a name, and where to save the document under it.
func (w *Window) saveAs(then func()) {
	f := newSaveForm(w)
	form := dialog.NewForm(lang.L("Save the workflow"), lang.L("Save"), lang.L("Cancel"), f.items(), func(ok bool) {
		w.focusCanvas()
		if ok {
			w.saveTo(f, then)
		}
	}, w.win)
	const width = 520
	form.Resize(fyne.NewSize(width, form.MinSize().Height))
	for _, e := range []*dialogEntry{f.name, f.id, f.path} {
		e.answers(form)
	}
	form.Show()
	w.win.Canvas().Focus(f.name)
	f.name.TypedShortcut(&fyne.ShortcutSelectAll{}) // the first letter replaces what is proposed
}

// saveTo saves as a form says.
func (w *Window) saveTo(f *saveForm, then func()) {
	d := w.desk
	if err := errors.Join(d.doc.SetName(f.name.Text), d.doc.SetID(f.id.Text)); err != nil {
		w.complain(err)
		return
	}
	if f.where.Selected != f.inFile {
		known := d.origin.ID == f.id.Text && d.origin.Server == w.place.URL
		w.store(d, d.doc.Definition(), workflow.Condition{Absent: !known}, then)
		return
	}
	path, err := filepath.Abs(f.path.Text)
	if err != nil {
		w.complain(err)
		return
	}
	write := func() {
		w.wrote(d, func(def *workflow.Definition) (documents.Origin, error) { return documents.WriteFile(path, def) }, then)
	}
	if _, err := os.Stat(path); err == nil && path != d.origin.File {
		w.ask(lang.L("Replace the file?"), lang.L("{{.File}} is there already.", map[string]any{"File": path}),
			choice{text: lang.L("Replace it"), do: write})
		return
	}
	write()
}

// saveForm asks for what a workflow is to be called and where it is to be kept.
type saveForm struct {
	w              *Window
	name, id, path *dialogEntry
	browse         *widget.Button
	where          *widget.RadioGroup
	inFile         string // the choice of where that is a file
	own            bool   // the id is not made from the name
	folder         string
}

func newSaveForm(w *Window) *saveForm {
	d, def := w.desk, w.desk.doc.Definition()
	f := &saveForm{w: w, name: newDialogEntry(), id: newDialogEntry(), path: newDialogEntry(), inFile: lang.L("A file"), own: !d.origin.IsNew()}
	f.folder = startFolder(d.origin)
	f.browse = widget.NewButton(lang.L("Folder…"), f.chooseFolder)
	f.where = widget.NewRadioGroup([]string{placeName(w.place), f.inFile}, func(string) { f.update() })
	f.where.Required = true
	f.id.Validator = workflow.CheckID
	f.name.SetText(def.Name)
	f.id.SetText(def.ID)
	f.path.SetText(filepath.Join(f.folder, documents.FileName(def.ID)))
	f.where.SetSelected(placeName(w.place))
	if d.origin.File != "" {
		f.path.SetText(d.origin.File)
		f.where.SetSelected(f.inFile)
	}
	f.name.OnChanged = func(text string) {
		if !f.own {
			f.id.SetText(slug(text))
		}
	}
	f.id.OnChanged = func(text string) {
		f.own = text != slug(f.name.Text)
		f.path.SetText(filepath.Join(f.folder, documents.FileName(text)))
	}
	return f
}

func (f *saveForm) items() []*widget.FormItem {
	f.update()
	return []*widget.FormItem{
		widget.NewFormItem(lang.L("Name"), f.name),
		{Text: lang.X("label.id", "Id"), Widget: f.id, HintText: lang.L("What programs call it by")},
		widget.NewFormItem(lang.L("Save in"), f.where),
		widget.NewFormItem(lang.L("File"), container.NewBorder(nil, nil, nil, f.browse, f.path)),
	}
}

// update lets a path be typed only where it counts.
func (f *saveForm) update() {
	if f.where.Selected == f.inFile {
		f.path.Enable()
		f.browse.Enable()
	} else {
		f.path.Disable()
		f.browse.Disable()
	}
}

func (f *saveForm) chooseFolder() {
	browser{w: f.w, folder: true, then: func(path string) {
		f.folder = path
		f.path.SetText(filepath.Join(path, filepath.Base(f.path.Text)))
	}}.in(f.folder)
}

// startFolder is where files are looked for and kept at first: beside the one that is
// open, else where the program was started.
func startFolder(origin documents.Origin) string {
	if origin.File != "" {
		return filepath.Dir(origin.File)
	}
	if here, err := os.Getwd(); err == nil && here != "/" {
		return here
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	return home
}
