package ui

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// templatePrefix marks the name of a template where a file could be named too.
const templatePrefix = "template:"

// Open opens a file, or a template: "template:NAME". An empty name shows the start
// page. What cannot be opened is said in the window.
func (w *Window) Open(name string) {
	switch {
	case name == "":
		w.showStart()
	case strings.HasPrefix(name, templatePrefix):
		w.openTemplate(strings.TrimPrefix(name, templatePrefix))
	default:
		w.openFile(name)
	}
}

// newWorkflow begins an empty workflow.
func (w *Window) newWorkflow() {
	w.leaving(func() { w.edits(blank(), documents.Origin{}) })
}

func (w *Window) openTemplate(name string) {
	w.leaving(func() {
		for _, t := range w.config.Templates {
			if t.Name == name {
				w.edits(t.Definition, documents.Origin{})
				return
			}
		}
		w.complain(app.ErrNoTemplate)
		w.showStart()
	})
}

func (w *Window) openFile(path string) {
	w.leaving(func() {
		path, err := filepath.Abs(path)
		if err != nil {
			w.complain(err)
			return
		}
		def, origin, err := documents.ReadFile(path)
		if err != nil {
			w.complain(err)
			return
		}
		w.edits(def, origin)
	})
}

// chooseFile lets the user choose a file to open.
func (w *Window) chooseFile() {
	browser{w: w, ending: ".json", then: w.openFile}.in(w.folder())
}

// folder is where files are looked for first.
func (w *Window) folder() string {
	if w.desk == nil {
		return startFolder(documents.Origin{})
	}
	return startFolder(w.desk.origin)
}

// chooseStored lets the user choose one of the workflows that are stored at the place.
func (w *Window) chooseStored() {
	place := w.place
	w.later(lang.L("Listing workflows…"), func(ctx context.Context) (func(), error) {
		stored, err := place.Backend.Workflows(ctx)
		if err != nil {
			return nil, err
		}
		return func() { w.pickStored(place, stored) }, nil
	})
}

func (w *Window) pickStored(place Place, stored []workflow.Meta) {
	p := kit.Picker{
		Placeholder: lang.L("Open a workflow from {{.Place}}", map[string]any{"Place": placeName(place)}),
		Empty:       lang.L("Nothing is stored here under this name"),
		Closed:      w.focusCanvas,
		Search: func(query string) []kit.Choice {
			var choices []kit.Choice
			for _, m := range stored {
				if !strings.Contains(strings.ToLower(m.Name+" "+m.ID), strings.ToLower(query)) {
					continue
				}
				choices = append(choices, kit.Choice{
					Title: workflowName(m.Name, m.ID), Detail: m.ID, Trailing: m.UpdatedAt.Local().Format("2006-01-02 15:04"),
					Disabled: m.Damaged, Pick: func() { w.leaving(func() { w.openStored(place, m.ID) }) },
				})
			}
			return choices
		},
	}
	p.Show(w.win.Canvas())
}

// openStored opens a stored workflow.
func (w *Window) openStored(place Place, id string) {
	w.later(lang.L("Opening…"), func(ctx context.Context) (func(), error) {
		def, err := place.Backend.Workflow(ctx, id)
		if err != nil {
			return nil, err
		}
		return func() { w.edits(def, storedAt(place, def)) }, nil
	})
}

// openRecent opens what was open before.
func (w *Window) openRecent(origin documents.Origin) {
	if origin.File != "" {
		w.openFile(origin.File)
		return
	}
	w.leaving(func() {
		w.goTo(origin.Server, func() { w.openStored(w.place, origin.ID) })
	})
}

// restore goes on with the draft of a window that is gone.
func (w *Window) restore(left documents.Left) {
	w.leaving(func() {
		draft, def, err := left.Take()
		if err != nil {
			w.complain(err)
			return
		}
		doc := doc.New(def, w.specs)
		doc.MarkUnsaved()
		w.begin(newDesk(doc, draft.Origin(), draft))
	})
}

// edits begins to edit a workflow that was opened.
func (w *Window) edits(def *workflow.Definition, origin documents.Origin) {
	w.begin(newDesk(doc.New(def, w.specs), origin, w.config.Drafts.Begin(origin)))
	if err := w.config.Recent.Add(origin, workflowName(def.Name, def.ID)); err != nil {
		w.complain(err)
	}
}

// storedAt is the origin of a workflow that was loaded from a place or saved there.
func storedAt(place Place, def *workflow.Definition) documents.Origin {
	return documents.Origin{ID: def.ID, Server: place.URL, Digest: def.Digest()}
}

func workflowName(name, id string) string {
	if name != "" {
		return name
	}
	return id
}

// notThere reports whether something was not found, or is another than expected.
func notThere(err error) bool { return errors.Is(err, workflow.ErrNotFound) }
