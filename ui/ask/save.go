package ask

import (
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/workspace"
)

// AskTarget asks for a name and where to save a workflow.
func (d *Dialogs) AskTarget(p workspace.Proposal, then func(workspace.Target)) {
	f := newSaveForm(d, p)
	const width = 520
	d.form(lang.L("Save the workflow"), lang.L("Save"), f.items(), width, []fyne.Focusable{f.name, f.id, f.path}, func() { then(f.target()) })
	f.name.TypedShortcut(&fyne.ShortcutSelectAll{}) // typing replaces the proposed name
}

// saveForm asks for the name, the id and the target of a workflow.
type saveForm struct {
	on             *Dialogs
	name, id, path *kit.Entry
	browse         *kit.Button
	where          *kit.Select
	inFile         string // the option for a file
	own            bool   // the user has edited the id
	folder         string
}

func newSaveForm(d *Dialogs, p workspace.Proposal) *saveForm {
	f := &saveForm{on: d, name: kit.NewEntry(), id: kit.NewEntry(), path: kit.NewEntry(), inFile: lang.L("A file"), own: !p.Origin.IsNew()}
	f.folder = FolderOf(p.Origin)
	f.browse = kit.NewButton(lang.L("Folder…"), f.chooseFolder)
	f.where = kit.NewSelect([]string{d.config.Place(), f.inFile}, func(string) { f.update() })
	f.id.Validator = workflow.CheckID
	f.name.SetText(p.Name)
	f.id.SetText(p.ID)
	f.path.SetText(filepath.Join(f.folder, documents.FileName(p.ID)))
	f.where.SetSelected(d.config.Place())
	if p.Origin.File != "" {
		f.path.SetText(p.Origin.File)
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

// target returns the values of the form.
func (f *saveForm) target() workspace.Target {
	t := workspace.Target{Name: f.name.Text, ID: f.id.Text}
	if f.where.Selected == f.inFile {
		t.File = f.path.Text
	}
	return t
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

// update enables the path only for a file.
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
	browser{on: f.on, folder: true, then: func(path string) {
		f.folder = path
		f.path.SetText(filepath.Join(path, filepath.Base(f.path.Text)))
	}}.in(f.folder)
}

// FolderOf returns the initial folder for files: that of the open file, else the working
// directory.
func FolderOf(origin documents.Origin) string {
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
