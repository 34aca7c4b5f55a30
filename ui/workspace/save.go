package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// Save saves the session in front to its origin and then calls then, unless it is nil. A
// session has one save at a time; others wait for it.
func (d *Workspace) Save(then func()) {
	if d.front == nil {
		d.config.User.Complain(ErrNothing)
		return
	}
	d.save(d.front, then)
}

func (d *Workspace) save(w *Session, then func()) {
	switch {
	case w.saving:
		w.next = append(w.next, func() { d.saveRest(w, then) })
	case w.origin.IsNew():
		d.saveAs(w, then)
	case w.origin.File != "":
		origin := w.origin
		d.write(w, origin.File, func(def *workflow.Definition) (documents.Origin, error) { return documents.UpdateFile(origin, def) }, then)
	case w.origin.Server != d.config.Host().URL:
		d.config.User.Ask(Question{
			About: OtherHost, Host: w.origin.Server, Answers: []Answer{SaveAs},
			Then: func(Answer) { d.saveAs(w, then) },
		})
	default:
		d.store(w, d.config.Host(), workflow.Condition{Match: []string{w.origin.Digest}}, then)
	}
}

// SaveAs asks the user where to save the session in front, saves it, and then calls then,
// unless it is nil.
func (d *Workspace) SaveAs(then func()) {
	if d.front == nil {
		d.config.User.Complain(ErrNothing)
		return
	}
	d.saveAs(d.front, then)
}

func (d *Workspace) saveAs(w *Session, then func()) {
	if w.saving {
		w.next = append(w.next, func() { d.saveAs(w, then) })
		return
	}
	def := w.Document.Definition()
	d.config.User.AskTarget(Proposal{Name: def.Name, ID: def.ID, Origin: w.origin}, func(t Target) { d.saveTo(w, t, then) })
}

// saveRest saves changes made during an earlier save.
func (d *Workspace) saveRest(w *Session, then func()) {
	if w.Document.Edited() {
		d.save(w, then)
	} else if then != nil {
		then()
	}
}

func (d *Workspace) saveTo(w *Session, t Target, then func()) {
	if w.ended {
		d.config.User.Complain(documents.ErrEnded)
		return
	}
	if err := errors.Join(w.Document.SetName(t.Name), w.Document.SetID(t.ID)); err != nil {
		d.config.User.Complain(err)
		return
	}
	if t.File == "" {
		place := d.config.Host()
		known := w.origin.ID == t.ID && w.origin.Server == place.URL
		d.store(w, place, workflow.Condition{Absent: !known}, then)
		return
	}
	path, err := filepath.Abs(t.File)
	if err != nil {
		d.config.User.Complain(err)
		return
	}
	if _, err := os.Stat(path); err == nil && path != w.origin.File {
		d.config.User.Ask(Question{
			About: FileExists, File: path, Answers: []Answer{Replace},
			Then: func(Answer) { d.replaceFile(w, path, then) },
		})
		return
	}
	d.replaceFile(w, path, then)
}

// replaceFile saves the session to a file, whatever its content.
func (d *Workspace) replaceFile(w *Session, path string, then func()) {
	d.write(w, path, func(def *workflow.Definition) (documents.Origin, error) { return documents.WriteFile(path, def) }, then)
}

// write saves to a file by calling how.
func (d *Workspace) write(w *Session, file string, how func(*workflow.Definition) (documents.Origin, error), then func()) {
	if w.ended {
		d.config.User.Complain(documents.ErrEnded)
		return
	}
	origin, err := how(w.Document.Definition())
	switch {
	case errors.Is(err, documents.ErrChanged):
		d.resolve(w, Question{About: FileChanged, File: file}, FromFile(file), func() { d.replaceFile(w, file, then) }, then)
	case err != nil:
		d.config.User.Complain(err)
	default:
		d.saved(w, w.Document.Revision(), origin, Notice{Of: SavedToFile, File: origin.File}, then)
	}
}

// store saves to a host if cond holds there.
func (d *Workspace) store(w *Session, at Host, cond workflow.Condition, then func()) {
	if w.ended {
		d.config.User.Complain(documents.ErrEnded)
		return
	}
	def, revision := w.Document.Definition(), w.Document.Revision()
	w.saving = true
	d.config.User.Say(Notice{Of: Saving})
	d.config.Jobs.Go(func(ctx context.Context) func() {
		meta, err := at.Store.Save(ctx, def, cond)
		return func() {
			next := w.next
			w.saving, w.next = false, nil
			d.config.User.Say(Notice{})
			d := w.in // the session may have moved to another window meanwhile
			switch {
			case errors.Is(err, workflow.ErrConflict), errors.Is(err, workflow.ErrNotFound):
				about := Conflict
				if cond.Absent {
					about = Taken
				}
				again := func() { d.store(w, at, workflow.Condition{}, then) }
				d.resolve(w, Question{About: about, ID: def.ID, Host: at.URL}, FromHost(at, def.ID), again, then)
			case err != nil:
				d.config.User.Complain(err)
			default:
				d.saved(w, revision, storedAt(at, def), Notice{Of: SavedToHost, Host: at.URL, Revision: meta.Revision}, then)
				for _, do := range next {
					do()
				}
			}
		}
	})
}

// resolve lets the user choose what to do when the saved workflow is not the one that was
// opened.
func (d *Workspace) resolve(w *Session, q Question, theirs Source, replace, then func()) {
	q.Answers = []Answer{Compare, OpenTheirs, SaveAs, Replace}
	q.Then = func(a Answer) {
		switch a {
		case Compare:
			d.compareWith(w, theirs.definition, Theirs)
		case OpenTheirs:
			d.reopen(w, theirs)
		case SaveAs:
			d.saveAs(w, then)
		case Replace:
			replace()
		}
	}
	d.config.User.Ask(q)
}

// reopen replaces the session by the saved workflow, once the user has confirmed and it was
// read.
func (d *Workspace) reopen(w *Session, theirs Source) {
	d.config.User.Ask(Question{
		About: Reopen, Answers: []Answer{DropChanges},
		Then: func(Answer) {
			given := discards{w: w.Document.Revision()}
			d.read(theirs, func(f loaded) { d.resolveUnsaved(given, only(w), func() { w.in.replace(w, f) }) })
		},
	})
}

// saved records that a revision of a session is saved at origin. If the session has ended
// meanwhile, the user only sees the notice.
func (d *Workspace) saved(w *Session, revision int, origin documents.Origin, told Notice, then func()) {
	if err := d.config.Recent.Add(origin, w.Document.Name()); err != nil {
		d.config.User.Complain(err)
	}
	if w.ended {
		d.config.User.Say(told)
		return
	}
	err := w.markSaved(revision, origin, d.config.Drafts)
	if len(w.pins) > 0 {
		d.keepPins(w) // their file name depends on the origin
	}
	d.config.Changed()
	d.config.User.Say(told)
	if err != nil {
		d.config.User.Complain(err)
	}
	if then != nil {
		then()
	}
}
