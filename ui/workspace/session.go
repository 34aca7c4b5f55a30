package workspace

import (
	"context"
	"math"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/job"
)

// Session is an open workflow: its document and board, its origin, and the draft that
// survives a crash. A [Workspace] makes it.
type Session struct {
	Document *doc.Document
	Board    *board.Board

	in     *Workspace // the last one, if the session has ended
	origin documents.Origin
	rank   int // its index among the tabs to restore

	checked  int // the revision of the last check, or of the one in progress
	checking *job.Latest

	pins    map[string]engine.Pin // by path of the node
	pinning *job.Latest

	draft    *documents.Draft
	drafting *job.Latest
	seen     int // the revision of the last draft, or one that needs none
	drafted  time.Time
	failed   error // why the last draft could not be saved

	ended  bool
	saving bool     // to a host, which takes time
	next   []func() // what to do after that
}

// draftQuiet is how long a document must be unchanged before its draft is written.
const draftQuiet = 2 * time.Second

// never is the revision of no document, and last the rank of new sessions.
const (
	never = -1
	last  = math.MaxInt
)

func newSession(f loaded, c *Config) *Session {
	const width, height = 800, 600 // until the canvas reports its size
	doc := doc.New(f.definition, c.Specs())
	if f.draft == nil {
		f.draft = c.Drafts.Begin(f.origin)
	} else {
		doc.MarkUnsaved()
	}
	pins, err := c.Drafts.Pins(f.origin)
	if err != nil {
		c.User.Complain(err) // the session works without them
	}
	return &Session{
		pins: pins, pinning: c.Jobs.Latest(0),
		Document: doc, Board: board.New(doc, width, height), origin: f.origin, rank: last,
		checked: never, checking: c.Jobs.Latest(checkQuiet),
		draft: f.draft, drafting: c.Jobs.Latest(draftQuiet), seen: doc.Revision(),
	}
}

// Origin returns the workflow's origin.
func (w *Session) Origin() documents.Origin { return w.origin }

// Draft returns when the draft was last written, zero if never, and why the last attempt
// failed.
func (w *Session) Draft() (at time.Time, err error) { return w.drafted, w.failed }

// SaveDrafts schedules drafts of all changed documents and records which sessions are open.
// It removes the draft of a document that equals its saved state again. Call it after
// anything that may have changed something.
func (d *Workspace) SaveDrafts() {
	for _, w := range d.shared.sessions() {
		if w.seen != w.Document.Revision() {
			d.saveDraft(w)
		}
	}
	d.remember()
}

func (d *Workspace) saveDraft(w *Session) {
	w.seen = w.Document.Revision()
	if !w.Document.Edited() {
		w.failed = w.replaceDraft(w.origin, d.config.Drafts)
		return
	}
	def, draft := w.Document.Definition(), w.draft
	w.drafting.Do(func(context.Context) func() {
		err := draft.Save(def)
		return func() {
			w.drafted, w.failed = time.Now(), err
			w.in.config.Changed()
		}
	})
}

// markSaved says that a revision of the document is kept at origin. If that is how it is now,
// its draft is not needed any more; else the draft belongs to what is kept there.
func (w *Session) markSaved(revision int, origin documents.Origin, drafts *documents.Drafts) error {
	if w.Document.Revision() != revision {
		w.origin, w.seen = origin, never
		w.draft.Moved(origin)
		return nil
	}
	w.Document.MarkSaved()
	w.seen, w.failed = w.Document.Revision(), nil
	return w.replaceDraft(origin, drafts)
}

// replaceDraft drops the draft for one that nothing was written to.
func (w *Session) replaceDraft(origin documents.Origin, drafts *documents.Drafts) error {
	w.drafting.Close()
	err := w.draft.Discard()
	w.origin, w.draft, w.drafted = origin, drafts.Begin(origin), time.Time{}
	return err
}

// end ends the session. Its draft is kept for the next start, or deleted.
func (w *Session) end(keep bool) error {
	w.ended = true
	w.checking.Stop()
	w.pinning.Flush()
	if keep {
		w.drafting.Flush()
		return w.draft.Keep()
	}
	w.drafting.Close()
	return w.draft.Discard()
}
