// Package desk is the room of the window in which workflows are worked on: it opens
// them, keeps drafts of what is not saved, has them checked, saves them, and settles with
// the user what becomes of unsaved work. Several lie on the desk at once, one of them in
// front; each window has a desk, and works can be given from one to another. It knows no
// toolkit: the user, the place where workflows are kept, and whoever
// shows the works are ports of it.
//
// One rule stands above the others: what is to take the place of a work is read before
// the work ends. Whatever fails on the way there, the work, its draft and its history are
// as they were.
package workspace

import (
	"context"
	"errors"
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/job"
)

// ErrNothing says that there is nothing on the desk.
var ErrNothing = errors.New("no workflow is open")

// Config is what a desk works with. All of it is required.
type Config struct {
	User   User
	Host   func() Host       // where the user works at the moment
	Specs  func() *doc.Specs // the node types of that place
	Drafts *documents.Drafts
	Recent *documents.Recent
	Tabs   *documents.Tabs
	Jobs   *job.Runner
	// Reach returns the place at an address, without going there. It is called in the
	// background.
	Reach func(ctx context.Context, server string) (Host, error)

	// Begun is told of a work that lies on the desk now, Fronted of the one that is in
	// front now, nil for none, Ending of one that is about to end, and Changed that more or
	// less of a work is kept than before.
	Opened    func(*Session)
	Activated func(*Session)
	Closing   func(*Session)
	Changed   func()
	// Given is told of a work that lies on another desk now. Raise shows the window of the
	// desk before all others, and Another opens a window and returns its desk.
	Moved     func(w *Session, to *Workspace)
	Raise     func()
	NewWindow func() *Workspace
	// Call says what the user calls a state that a work is compared with.
	NameOf func(Other) string
	// Checked gets what is wrong with the workflow, when that was looked for again.
	Checked func(engine.ValidationErrors)
}

// Host is somewhere workflows are kept.
type Host struct {
	URL   string // empty for this computer
	Store Store
}

// Store keeps workflows and judges them. It is safe for concurrent use. Its errors are
// [workflow.ErrNotFound], [workflow.ErrConflict] or others that tell the user what to do.
type Store interface {
	Workflow(ctx context.Context, id string) (*workflow.Definition, error)
	Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error)
	Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error)
}

// Workspace has any number of works on it. Make one with [New]. It belongs to the window's
// goroutine.
type Workspace struct {
	config   Config
	sessions []*Session // in the order of their tabs; none has ended
	front    *Session   // the one in front; nil if none is
	reading  *job.Runner
	shared   *shared
}

// New returns an empty desk.
func New(c Config) *Workspace {
	o := &shared{remembered: rememberedTabs{tabs: c.Tabs, writing: c.Jobs.Latest(0)}}
	return (&Workspace{shared: o}).ForWindow(c)
}

// Active returns what is worked on, which is in front; nil if nothing is.
func (d *Workspace) Active() *Session { return d.front }

// Sessions returns all that lies on the desk, in the order of their tabs.
func (d *Workspace) Sessions() []*Session { return slices.Clone(d.sessions) }

// Open puts a workflow on the desk, in front. One that lies there already comes to the
// front as it is. If it cannot be read, what is in front stays.
func (d *Workspace) Open(s Source) {
	if w := d.shared.sessionOf(s.origin); w != nil {
		d.Front(w)
		if s.draft {
			d.config.User.Say(Notice{Of: AlreadyOpen})
		}
		return
	}
	d.read(s, func(f loaded) {
		if left, ok := d.draftOf(f); ok {
			d.offer(f, left)
			return
		}
		d.openRead(f)
	})
}

// OpenAt opens a stored workflow of a place that has to be reached first. reach calls
// what it is given once that is done.
func (d *Workspace) OpenAt(reach func(then func(Host)), id string) {
	reach(func(p Host) { d.Open(FromHost(p, id)) })
}

// Front brings a work to the front, and its window if it lies on another desk; nil brings
// none there.
func (d *Workspace) Front(w *Session) {
	if w != nil && w.in != d {
		w.in.Front(w)
		w.in.config.Raise()
		return
	}
	if d.front == w {
		return
	}
	if d.front != nil && d.front.Board.Busy() {
		d.front.Board.Cancel() // nobody sees the end of that gesture
	}
	d.SaveDrafts()
	d.front = w
	d.config.Activated(w)
	d.SaveDrafts()
}

// Move puts a work at another place in the order.
func (d *Workspace) Move(w *Session, to int) {
	from := slices.Index(d.sessions, w)
	if from < 0 || to < 0 || to >= len(d.sessions) || from == to {
		return
	}
	d.sessions = slices.Insert(slices.Delete(d.sessions, from, from+1), to, w)
	d.config.Changed()
}

// Close ends a work, once the user has said what becomes of unsaved changes. The next one
// comes to the front, if it was there.
func (d *Workspace) Close(w *Session) {
	if w == nil {
		return
	}
	d.resolveUnsaved(discards{}, only(w), func() { w.in.drop(w) })
}

// drop ends a work without asking.
func (d *Workspace) drop(w *Session) {
	at := slices.Index(d.sessions, w)
	if at < 0 {
		return
	}
	front := d.front == w
	d.end(w, false)
	if front {
		d.Front(d.next(at))
	}
	d.SaveDrafts()
	d.config.Changed()
}

// CloseAll ends all works of this desk, once the user has said what becomes of unsaved
// changes, and goes on with then.
func (d *Workspace) CloseAll(then func()) {
	d.resolveUnsaved(discards{}, d.Sessions, func() {
		for _, w := range d.Sessions() {
			d.drop(w)
		}
		then()
	})
}

// CloseEverywhere clears all desks, once the user has said what becomes of unsaved work, and goes on
// with then.
func (d *Workspace) CloseEverywhere(then func()) {
	d.resolveUnsaved(discards{}, d.shared.sessions, func() {
		d.Clear(false)
		then()
	})
}

// Clear ends the works of all desks without asking. With keep their drafts stay. What lay
// there is remembered until something is put on one of them again.
func (d *Workspace) Clear(keep bool) {
	for _, d := range d.shared.workspaces {
		d.reading.Close()
		d.reading = d.config.Jobs.Child()
	}
	d.seal()
	d.shared.remembered.restoring = 0
	for _, d := range d.shared.workspaces {
		for _, w := range d.Sessions() {
			d.end(w, keep)
		}
		d.Front(nil)
	}
}

// end takes a work off the desk. Whoever calls it brings another one to the front.
func (d *Workspace) end(w *Session, keep bool) {
	d.config.Closing(w)
	d.sessions = slices.DeleteFunc(d.sessions, func(o *Session) bool { return o == w })
	if err := w.end(keep); err != nil {
		d.config.User.Complain(err)
	}
}

// SetSpecs gives the works the node types of another place.
func (d *Workspace) SetSpecs(specs *doc.Specs) {
	for _, w := range d.sessions {
		w.Document.SetSpecs(specs)
	}
	d.Recheck()
}

// Recheck has the documents checked again by the next [Desk.Check], although they have not
// changed.
func (d *Workspace) Recheck() {
	for _, w := range d.sessions {
		w.checked = never
	}
}

// discards is that the user gives up one state of each of some works.
type discards map[*Session]int

func (c discards) covers(w *Session) bool {
	revision, given := c[w]
	return given && revision == w.Document.Revision()
}

// only is of one work, while it has not ended.
func only(w *Session) func() []*Session {
	return func() []*Session {
		if w.ended {
			return nil
		}
		return []*Session{w}
	}
}

// resolveUnsaved goes on once the user has said what becomes of the unsaved changes of works. They
// are asked about the one in front, in its window. The works stay where they are, and may be
// changed further meanwhile: then is asked for them again.
func (d *Workspace) resolveUnsaved(given discards, of func() []*Session, then func()) {
	works := of()
	i := slices.IndexFunc(works, func(w *Session) bool { return w.Document.Edited() && !given.covers(w) })
	if i < 0 {
		then()
		return
	}
	w := works[i]
	d.Front(w)
	w.in.config.User.Ask(Question{
		About: Unsaved, Name: w.Document.Name(), Answers: []Answer{Discard, Save},
		Then: func(a Answer) {
			if a == Save {
				w.in.save(w, func() { d.resolveUnsaved(given, of, then) })
				return
			}
			given[w] = w.Document.Revision()
			d.resolveUnsaved(given, of, then)
		},
	})
}

// read reads a workflow and goes on with it; it complains if that cannot be read.
func (d *Workspace) read(s Source, then func(loaded)) {
	come := func(f loaded, err error) {
		if err != nil {
			d.config.User.Complain(err)
			return
		}
		then(f)
	}
	if !s.slow {
		come(s.read(d.config.Jobs.Context()))
		return
	}
	d.config.User.Say(Notice{Of: Opening})
	d.reading.Go(func(ctx context.Context) func() {
		f, err := s.read(ctx)
		return func() {
			d.config.User.Say(Notice{})
			come(f, err)
		}
	})
}

// openRead puts what was read on the desk, in front.
func (d *Workspace) openRead(f loaded) {
	if w := d.shared.sessionOf(f.origin); w != nil { // it was opened twice at the same time
		d.releaseDraft(f)
		d.Front(w)
		return
	}
	d.Front(d.insert(f, last))
	if err := d.config.Recent.Add(f.origin, d.front.Document.Name()); err != nil {
		d.config.User.Complain(err)
	}
}

// releaseDraft leaves what was read where it is.
func (d *Workspace) releaseDraft(f loaded) {
	if f.draft == nil {
		return
	}
	if err := f.draft.Keep(); err != nil {
		d.config.User.Complain(err)
	}
}

// insert puts what was read on the desk: by its rank behind all that were there before it.
func (d *Workspace) insert(f loaded, rank int) *Session {
	w := newSession(f, &d.config)
	w.rank, w.in = rank, d
	at := slices.IndexFunc(d.sessions, func(o *Session) bool { return rank < o.rank })
	if at < 0 {
		at = len(d.sessions)
	}
	d.sessions = slices.Insert(d.sessions, at, w)
	d.shared.remembered.sealed = false
	d.config.Opened(w)
	return w
}

// replace puts what was read in the place of a work.
func (d *Workspace) replace(w *Session, f loaded) {
	at := slices.Index(d.sessions, w)
	if at < 0 {
		d.releaseDraft(f)
		return
	}
	fresh := d.insert(f, last)
	d.Front(fresh)
	d.end(w, false)
	d.Move(fresh, at)
}
