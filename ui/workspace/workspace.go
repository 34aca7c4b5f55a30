// Package workspace holds the workflows that are open in a window. It opens them, saves
// drafts of unsaved changes, has them checked, saves them, and asks the user before unsaved
// changes are lost. A [Workspace] has any number of sessions, one of them in front; each
// window has a workspace, and sessions can move between them. The package knows no toolkit:
// [Config] has interfaces for the user, the hosts and the views.
//
// Invariant: a workflow that replaces another is read before the old session ends. If
// anything fails on the way, the session, its draft and its undo history stay as they were.
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

// ErrNothing reports that no session is open.
var ErrNothing = errors.New("no workflow is open")

// Config is what a workspace needs. All fields are required.
type Config struct {
	User   User
	Host   func() Host       // where the user works at the moment
	Specs  func() *doc.Specs // the node types of that host
	Drafts *documents.Drafts
	Recent *documents.Recent
	Tabs   *documents.Tabs
	Jobs   *job.Runner
	// Reach returns the host at an address without switching to it. It is called in the
	// background.
	Reach func(ctx context.Context, server string) (Host, error)

	// Opened is called for a new session, Activated for the one that is in front now (nil for
	// none), Closing before a session ends, and Changed when the state of drafts or saves has
	// changed.
	Opened    func(*Session)
	Activated func(*Session)
	Closing   func(*Session)
	Changed   func()
	// Moved is called after a session has moved to another workspace. Raise shows the
	// workspace's window above all others; NewWindow opens a window and returns its
	// workspace.
	Moved     func(w *Session, to *Workspace)
	Raise     func()
	NewWindow func() *Workspace
	// NameOf returns the user's name for a state that a session is compared with.
	NameOf func(Other) string
	// Checked is called with the problems of the session in front after a check.
	Checked func(engine.ValidationErrors)
}

// Host is somewhere workflows are kept.
type Host struct {
	URL   string // empty for this computer
	Store Store
}

// Store stores and validates workflows. It is safe for concurrent use. Its errors are
// [workflow.ErrNotFound], [workflow.ErrConflict] or others whose text tells the user what to
// do.
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

// New returns an empty workspace.
func New(c Config) *Workspace {
	o := &shared{remembered: rememberedTabs{tabs: c.Tabs, writing: c.Jobs.Latest(0)}}
	return (&Workspace{shared: o}).ForWindow(c)
}

// Active returns what is worked on, which is in front; nil if nothing is.
func (d *Workspace) Active() *Session { return d.front }

// Sessions returns all sessions, in the order of their tabs.
func (d *Workspace) Sessions() []*Session { return slices.Clone(d.sessions) }

// Open opens a workflow and activates it. If it is open already, Open only activates it. If
// it cannot be read, the session in front stays.
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

// OpenAt opens a stored workflow of a host that must be reached first: reach calls its
// argument once it is.
func (d *Workspace) OpenAt(reach func(then func(Host)), id string) {
	reach(func(p Host) { d.Open(FromHost(p, id)) })
}

// Front activates a session, and raises its window if that is another one. Nil means that no
// session is in front.
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
		d.front.Board.Cancel() // the end of that gesture would be missed
	}
	d.SaveDrafts()
	d.front = w
	d.config.Activated(w)
	d.SaveDrafts()
}

// Move moves a session to another index in the order of tabs.
func (d *Workspace) Move(w *Session, to int) {
	from := slices.Index(d.sessions, w)
	if from < 0 || to < 0 || to >= len(d.sessions) || from == to {
		return
	}
	d.sessions = slices.Insert(slices.Delete(d.sessions, from, from+1), to, w)
	d.config.Changed()
}

// Close ends a session after asking about unsaved changes. If it was in front, the next one
// is activated.
func (d *Workspace) Close(w *Session) {
	if w == nil {
		return
	}
	d.resolveUnsaved(discards{}, only(w), func() { w.in.drop(w) })
}

// drop ends a session without asking.
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

// CloseAll ends all sessions of this workspace after asking about unsaved changes, and then
// calls then.
func (d *Workspace) CloseAll(then func()) {
	d.resolveUnsaved(discards{}, d.Sessions, func() {
		for _, w := range d.Sessions() {
			d.drop(w)
		}
		then()
	})
}

// CloseEverywhere ends the sessions of all workspaces after asking about unsaved changes, and
// then calls then.
func (d *Workspace) CloseEverywhere(then func()) {
	d.resolveUnsaved(discards{}, d.shared.sessions, func() {
		d.Clear(false)
		then()
	})
}

// Clear ends the sessions of all workspaces without asking. With keep, their drafts stay. The
// record of open workflows stays until one is opened again.
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

// end removes a session. The caller must activate another one.
func (d *Workspace) end(w *Session, keep bool) {
	d.config.Closing(w)
	d.sessions = slices.DeleteFunc(d.sessions, func(o *Session) bool { return o == w })
	if err := w.end(keep); err != nil {
		d.config.User.Complain(err)
	}
}

// SetSpecs sets the node types after a switch to another host.
func (d *Workspace) SetSpecs(specs *doc.Specs) {
	for _, w := range d.sessions {
		w.Document.SetSpecs(specs)
	}
	d.Recheck()
}

// Recheck makes the next [Workspace.Check] check the documents even if they have not changed.
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

// only returns a session, or nothing once it has ended.
func only(w *Session) func() []*Session {
	return func() []*Session {
		if w.ended {
			return nil
		}
		return []*Session{w}
	}
}

// resolveUnsaved calls then once no session that of returns has unsaved changes that the user
// has not discarded. It asks about one session at a time, in its window. Sessions stay open
// and editable meanwhile; a document that changes again is asked about again.
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

// read reads a workflow and calls then with it, or complains.
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

// openRead opens and activates a workflow that was read.
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

// insert makes a session of a workflow that was read, placed by its rank behind all with a
// lower or equal one.
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

// replace replaces a session by a workflow that was read.
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
