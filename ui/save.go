package ui

import (
	"context"
	"errors"
	"path/filepath"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// leaving does what would put another document in the place of this one, once the user
// has said what becomes of unsaved work.
func (w *Window) leaving(then func()) {
	d := w.desk
	if d == nil || !d.doc.Edited() {
		w.dismiss(false)
		then()
		return
	}
	w.ask(lang.L("Save the changes?"), lang.L("“{{.Name}}” has changes that are not saved.", map[string]any{"Name": d.doc.Name()}),
		choice{text: lang.L("Don't save"), do: func() {
			w.dismiss(false)
			then()
		}},
		choice{text: lang.L("Save"), main: true, do: func() {
			w.saveThen(func() {
				w.dismiss(false)
				then()
			})
		}})
}

// dismiss ends work on the document that is open. keep leaves its draft for later.
func (w *Window) dismiss(keep bool) {
	if w.desk == nil {
		return
	}
	w.forgetRun()
	if err := w.desk.leave(keep); err != nil {
		w.complain(err)
	}
}

// save saves the document where it came from.
func (w *Window) save() { w.saveThen(nil) }

// saveThen saves the document and goes on with then; nil is nothing.
func (w *Window) saveThen(then func()) {
	d := w.desk
	switch origin := d.origin; {
	case origin.IsNew():
		w.saveAs(then)
	case origin.File != "":
		w.wrote(d, func(def *workflow.Definition) (documents.Origin, error) { return documents.UpdateFile(origin, def) }, then)
	case origin.Server != w.place.URL:
		w.ask(lang.L("Save it where?"), lang.L("This workflow came from {{.Place}}, which is not where you work now.", map[string]any{"Place": placeNameOf(origin.Server)}),
			choice{text: lang.L("Save as…"), main: true, do: func() { w.saveAs(then) }})
	default:
		w.store(d, d.doc.Definition(), workflow.Condition{Match: []string{origin.Digest}}, then)
	}
}

// wrote saves to a file by how.
func (w *Window) wrote(d *desk, how func(*workflow.Definition) (documents.Origin, error), then func()) {
	revision := d.doc.Revision()
	origin, err := how(d.doc.Definition())
	switch {
	case errors.Is(err, documents.ErrChanged):
		w.ask(lang.L("The file has changed"), lang.L("Another program has written to {{.File}} since you opened it.", map[string]any{"File": filepath.Base(d.origin.File)}),
			choice{text: lang.L("Open theirs"), do: func() { w.reopen(func() { w.openFile(d.origin.File) }) }},
			choice{text: lang.L("Save as…"), do: func() { w.saveAs(then) }},
			choice{text: lang.L("Replace it"), do: func() {
				w.wrote(d, func(def *workflow.Definition) (documents.Origin, error) {
					return documents.WriteFile(d.origin.File, def)
				}, then)
			}})
	case err != nil:
		w.complain(err)
	default:
		w.saved(d, revision, origin, lang.L("Saved to {{.File}}", map[string]any{"File": origin.File}), then)
	}
}

// store saves to the place, provided that cond holds there.
func (w *Window) store(d *desk, def *workflow.Definition, cond workflow.Condition, then func()) {
	place, revision := w.place, d.doc.Revision()
	w.later(lang.L("Saving…"), func(ctx context.Context) (func(), error) {
		meta, err := place.Backend.Save(ctx, def, cond)
		if errors.Is(err, workflow.ErrConflict) || notThere(err) {
			return func() { w.conflict(d, def, cond, then) }, nil
		}
		if err != nil {
			return nil, err
		}
		return func() {
			w.saved(d, revision, storedAt(place, def), lang.L("Saved in {{.Place}}, revision {{.N}}", map[string]any{"Place": placeName(place), "N": meta.Revision}), then)
		}, nil
	})
}

// conflict lets the user choose when what is stored is not what was opened.
func (w *Window) conflict(d *desk, def *workflow.Definition, cond workflow.Condition, then func()) {
	text := lang.L("Somebody else has saved “{{.ID}}” in {{.Place}} since you opened it.", map[string]any{"ID": def.ID, "Place": placeName(w.place)})
	if cond.Absent {
		text = lang.L("There is a workflow called “{{.ID}}” in {{.Place}} already.", map[string]any{"ID": def.ID, "Place": placeName(w.place)})
	}
	w.ask(lang.L("Which one counts?"), text,
		choice{text: lang.L("Open theirs"), do: func() { w.reopen(func() { w.openStored(w.place, def.ID) }) }},
		choice{text: lang.L("Save as…"), do: func() { w.saveAs(then) }},
		choice{text: lang.L("Replace it"), do: func() { w.store(d, def, workflow.Condition{}, then) }})
}

// reopen drops the user's changes for what is stored, once the user is sure.
func (w *Window) reopen(open func()) {
	w.ask(lang.L("Drop your changes?"), lang.L("Opening theirs loses what you have changed here."),
		choice{text: lang.L("Drop them"), do: func() {
			w.dismiss(false)
			w.desk = nil
			open()
		}})
}

// saved takes note that a revision of d is kept at origin now.
func (w *Window) saved(d *desk, revision int, origin documents.Origin, told string, then func()) {
	if err := d.saved(revision, origin, w.config.Drafts); err != nil {
		w.complain(err)
	}
	if err := w.config.Recent.Add(origin, d.doc.Name()); err != nil {
		w.complain(err)
	}
	w.refresh()
	w.status.tell(told, false)
	if then != nil {
		then()
	}
}
