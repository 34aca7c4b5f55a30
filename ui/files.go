package ui

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/picture"
	"github.com/svcflow/svc/ui/start"
	"github.com/svcflow/svc/ui/workspace"
)

// fileCommands opens, saves and closes workflows for the user.
type fileCommands struct {
	*parts

	config *Config
	views  *views
	close  func() // the window
}

// templatePrefix marks the name of a template, where a file name is possible, too.
const templatePrefix = "template:"

func (f *fileCommands) open(name string) {
	switch {
	case name == "":
		f.showStart()
	case strings.HasPrefix(name, templatePrefix):
		f.openTemplate(strings.TrimPrefix(name, templatePrefix))
	default:
		f.openFile(name)
	}
}

// New opens an empty workflow.
func (f *fileCommands) New() { f.workspace.Open(workspace.FromDefinition(workspace.Blank(untitled()))) }

func (f *fileCommands) openTemplate(name string) {
	for _, t := range f.config.Templates {
		if t.Name == name {
			f.workspace.Open(workspace.FromDefinition(t.Definition))
			return
		}
	}
	f.views.Complain(app.ErrNoTemplate)
}

func (f *fileCommands) openFile(path string) {
	path, err := filepath.Abs(path)
	if err != nil {
		f.views.Complain(err)
		return
	}
	f.workspace.Open(workspace.FromFile(path))
}

// ChooseFile lets the user choose a file to open.
func (f *fileCommands) ChooseFile() { f.dialogs.Browse(f.folder(), ".json", f.openFile) }

// pickFile lets the user choose a file for an input of a node.
func (f *fileCommands) pickFile(then func(path string)) { f.dialogs.Browse(f.folder(), "", then) }

// folder is the initial folder of file dialogs.
func (f *fileCommands) folder() string {
	if work := f.workspace.Active(); work != nil {
		return ask.FolderOf(work.Origin())
	}
	return ask.FolderOf(documents.Origin{})
}

// ChooseStored lets the user choose a workflow that is stored at the host.
func (f *fileCommands) ChooseStored() {
	place := f.hosts.Here()
	f.jobs.Go(job.Reporting(user{f.dialogs, f.views}, lang.L("Listing workflows…"), func(ctx context.Context) (func(), error) {
		stored, err := workflow.All(ctx, place.Backend.Workflows)
		return func() { f.pickStored(place, stored) }, err
	}))
}

func (f *fileCommands) pickStored(place hosts.Host, stored []workflow.Meta) {
	p := kit.Picker{
		Placeholder: lang.L("Open a workflow from {{.Place}}", map[string]any{"Place": place.Name()}),
		Empty:       lang.L("Nothing is stored here under this name"),
		Closed:      f.views.Back,
		Search: func(query string) []kit.Choice {
			var choices []kit.Choice
			for _, m := range stored {
				if !strings.Contains(strings.ToLower(m.Name+" "+m.ID), strings.ToLower(query)) {
					continue
				}
				name := m.Name
				if name == "" {
					name = m.ID
				}
				choices = append(choices, kit.Choice{
					Title: name, Detail: m.ID, Trailing: m.UpdatedAt.Local().Format("2006-01-02 15:04"),
					Disabled: m.Damaged, Pick: func() { f.openStored(place, m.ID) },
				})
			}
			return choices
		},
	}
	p.Show(f.views.win.Canvas())
}

func (f *fileCommands) openStored(place hosts.Host, id string) {
	f.workspace.Open(workspace.FromHost(workspace.Host{URL: place.URL, Store: place.Backend}, id))
}

// openRecent opens a recent workflow from its origin.
func (f *fileCommands) openRecent(origin documents.Origin) {
	if origin.File != "" {
		f.openFile(origin.File)
		return
	}
	f.workspace.OpenAt(func(then func(workspace.Host)) {
		f.hosts.GoTo(origin.Server, func() {
			here := f.hosts.Here()
			then(workspace.Host{URL: here.URL, Store: here.Backend})
		})
	}, origin.ID)
}

// Start shows the start page in a tab.
func (f *fileCommands) Start() {
	if f.workspace.Active() == nil {
		f.showStart()
		return
	}
	f.workspace.Front(nil)
}

// showStart shows the start page.
func (f *fileCommands) showStart() {
	var state start.State
	if here := f.hosts.Here(); here.URL != "" {
		state.Place = here.Name()
	}
	for _, e := range f.config.Recent.List() {
		state.Recent = append(state.Recent, start.Recent{Entry: e, Missing: e.Missing()})
	}
	left, err := f.config.Drafts.Orphans()
	if err != nil {
		f.views.Complain(err)
	}
	state.Drafts = left
	f.views.showStart(state)
}

// Save saves the workflow to its origin.
func (f *fileCommands) Save() { f.workspace.Save(nil) }

// SaveAs saves the workflow somewhere else.
func (f *fileCommands) SaveAs() { f.workspace.SaveAs(nil) }

// Quit closes the window after asking about unsaved changes.
func (f *fileCommands) Quit() {
	closing := func() { f.workspace.CloseEverywhere(f.close) }
	if !f.endsRuns() {
		closing()
		return
	}
	f.dialogs.Choose(lang.L("End the run?"), lang.L("A run is in progress in this window. It ends if you quit, and can be resumed later."),
		ask.Choice{Text: lang.L("Quit"), Do: closing})
}

// endsRuns reports whether a run is in progress that ends with the program.
func (f *fileCommands) endsRuns() bool {
	for _, w := range f.windows.all {
		for _, t := range w.tabs {
			if t.runs.Running() && t.runs.Shown().Host.URL == "" {
				return true
			}
		}
	}
	return false
}

// CopyCurl copies a command that runs the workflow on the current server, or on the server of
// this computer.
func (f *fileCommands) CopyCurl() {
	b := f.board()
	if b == nil {
		return
	}
	address := f.hosts.Here().URL
	if address == "" {
		address = f.hosts.Served()
	}
	if address == "" {
		f.dialogs.Choose(lang.L("Serve the workflows of this computer?"), lang.L("curl talks to a server: connect to one, or serve the workflows of this computer."),
			ask.Choice{Text: lang.L("Serve them"), Main: true, Do: f.hosts.Serve})
		return
	}
	def := b.Document().Definition()
	text := curlPosted(address, def.AppendJSON(nil))
	work := f.workspace.Active()
	if work != nil && work.Board == b && work.Origin().ID != "" && work.Origin().Server == f.hosts.Here().URL && !work.Document.Edited() {
		inputs, err := f.views.runTab.Inputs()
		if err != nil {
			inputs = nil // the command shows how to pass them
		}
		text = curl(address, work.Origin().ID, inputs)
	}
	f.config.App.Clipboard().SetContent(text)
	f.views.Tell(lang.L("Copied. The command takes the key from {{.Variable}}.", map[string]any{"Variable": keyVariable}), false)
}

func (f *fileCommands) startConfig() start.Config {
	return start.Config{
		Templates: f.views.templates(), Specs: f.specs,
		OnNew: f.New, OnOpen: f.ChooseFile, OnBrowse: f.ChooseStored, OnTemplate: f.openTemplate, OnRecent: f.openRecent,
		OnForget: func(o documents.Origin) {
			if err := f.config.Recent.Remove(o); err != nil {
				f.views.Complain(err)
			}
			f.showStart()
		},
		OnRestore: func(left documents.OrphanDraft) { f.workspace.Open(workspace.FromDraft(left)) },
		OnDiscard: f.discard,
	}
}

// discard deletes an orphan draft after asking.
func (f *fileCommands) discard(left documents.OrphanDraft) {
	f.dialogs.Choose(lang.L("Discard the draft?"), lang.L("“{{.Name}}” has changes that were never saved. They are gone for good.", map[string]any{"Name": left.Name}),
		ask.Choice{Text: lang.L("Discard"), Do: func() {
			if err := left.Remove(); err != nil {
				f.views.Complain(err)
			}
			f.showStart()
		}})
}

// Export writes a picture of the level to a file.
func (f *fileCommands) Export() {
	b := f.board()
	if b == nil {
		return
	}
	name := documents.FileName(b.Document().Definition().ID)
	name = strings.TrimSuffix(name, filepath.Ext(name)) + ".png"
	f.dialogs.AskPicture(filepath.Join(f.folder(), name), func(file string) { f.exportTo(file, b) })
}

// exportTo asks before it replaces a file.
func (f *fileCommands) exportTo(file string, b *board.Board) {
	_, err := os.Lstat(file)
	if err != nil || picture.Check(file) != nil {
		f.draw(file, b) // reports what is wrong with the folder or the name
		return
	}
	f.dialogs.Choose(lang.L("Replace the file?"), lang.L("{{.File}} is there already.", map[string]any{"File": file}),
		ask.Choice{Text: lang.L("Replace"), Do: func() { f.draw(file, b) }})
}

func (f *fileCommands) draw(file string, b *board.Board) {
	var text bytes.Buffer
	err := picture.Write(&text, file, b)
	if err == nil {
		err = durable.Rewrite(file, text.Bytes())
	}
	if err != nil {
		f.views.Complain(fmt.Errorf("export %s: %w", file, err))
		return
	}
	f.views.Tell(lang.L("Exported to {{.File}}", map[string]any{"File": file}), false)
}

// keyVariable is the environment variable with the key in commands of [curl], so that no key
// gets into a clipboard or a shell's history.
const keyVariable = "SVC_API_KEY"

// curl returns a command that runs a stored workflow on the server at address.
func curl(address, id string, inputs map[string]any) string {
	if inputs == nil {
		inputs = map[string]any{}
	}
	body := value.Encode(map[string]any{"inputs": inputs})
	return strings.Join([]string{
		`curl -X POST ` + quote(address+"/workflows/"+url.PathEscape(id)+"/run"),
		`  -H "Authorization: Bearer $` + keyVariable + `"`,
		`  -H 'Content-Type: application/json'`,
		`  -d ` + quote(string(body)),
	}, " \\\n")
}

// curlPosted returns a command that runs a workflow that is not stored.
func curlPosted(address string, document []byte) string {
	return strings.Join([]string{
		`curl -X POST ` + quote(address+"/execute"),
		`  -H "Authorization: Bearer $` + keyVariable + `"`,
		`  -H 'Content-Type: application/json'`,
		`  -d ` + quote(string(document)),
	}, " \\\n")
}

// quote quotes text for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
