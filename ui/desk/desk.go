// Package desk is the room of the window in which a workflow is worked on: it opens
// workflows, keeps drafts of what is not saved, has them checked, saves them, and settles
// with the user what becomes of unsaved work. It knows no toolkit: the user, the place
// where workflows are kept, and whoever shows the work are ports of it.
//
// One rule stands above the others: what is to take the place of the work is read before
// the work ends. Whatever fails on the way there, the work, its draft and its history are
// as they were.
package desk

import (
	"context"
	"errors"

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
	Place  func() Place      // where the user works at the moment
	Specs  func() *doc.Specs // the node types of that place
	Drafts *documents.Drafts
	Recent *documents.Recent
	Jobs   *job.Runner

	// Begun is told of a work that lies on the desk now, Ending that the one there is
	// about to end, and Changed that more or less of it is kept than before.
	Begun   func(*Work)
	Ending  func()
	Changed func()
	// Call says what the user calls a state that a work is compared with.
	Call func(Other) string
	// Checked gets what is wrong with the workflow, when that was looked for again.
	Checked func(engine.ValidationErrors)
}

// Place is somewhere workflows are kept.
type Place struct {
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

// Desk has at most one work on it. Make one with [New]. It belongs to the window's
// goroutine.
type Desk struct {
	config   Config
	work     *Work // nil if there is none; never one that has ended
	opening  *job.Latest
	checking *job.Latest
}

// New returns an empty desk.
func New(c Config) *Desk {
	return &Desk{config: c, opening: c.Jobs.Latest(0), checking: c.Jobs.Latest(checkQuiet)}
}

// Work returns what is worked on; nil if nothing is.
func (d *Desk) Work() *Work { return d.work }

// Open puts a workflow on the desk. If it cannot be read, what lies there stays.
func (d *Desk) Open(s Source) {
	d.settle(consent{}, func(c consent) { d.read(c, s) })
}

// OpenAt opens a stored workflow of a place that has to be reached first. reach calls
// what it is given once that is done.
func (d *Desk) OpenAt(reach func(then func(Place)), id string) {
	d.settle(consent{}, func(c consent) {
		reach(func(p Place) { d.read(c, Stored(p, id)) })
	})
}

// Leave clears the desk, once the user has said what becomes of unsaved work, and goes on
// with then.
func (d *Desk) Leave(then func()) {
	d.settle(consent{}, func(consent) {
		d.Clear(false)
		then()
	})
}

// Clear ends the work without asking. With keep its draft stays, to be offered later.
func (d *Desk) Clear(keep bool) {
	d.opening.Stop()
	if d.work == nil {
		return
	}
	d.config.Ending()
	d.checking.Stop()
	err := d.work.end(keep)
	d.work = nil
	if err != nil {
		d.config.User.Complain(err)
	}
}

// SetSpecs gives the work the node types of another place.
func (d *Desk) SetSpecs(specs *doc.Specs) {
	if d.work != nil {
		d.work.Document.SetSpecs(specs)
	}
	d.Recheck()
}

// Recheck has the document checked again by the next [Desk.Check], although it has not
// changed.
func (d *Desk) Recheck() {
	if d.work != nil {
		d.work.checked = never
	}
}

// consent is that the user gives up one state of a work; the zero consent is none.
type consent struct {
	work     *Work
	revision int
}

func (c consent) covers(w *Work) bool { return c.work == w && c.revision == w.Document.Revision() }

// settle goes on once the user has said what becomes of unsaved work. The work stays
// where it is, and may be changed further before something takes its place: then is
// handed what the user has consented to lose.
func (d *Desk) settle(c consent, then func(consent)) {
	w := d.work
	if w == nil || !w.Document.Edited() || c.covers(w) {
		then(c)
		return
	}
	d.config.User.Ask(Question{
		About: Unsaved, Name: w.Document.Name(), Answers: []Answer{Forsake, Save},
		Then: func(a Answer) {
			if a == Save {
				d.Save(func() { d.settle(consent{}, then) })
				return
			}
			d.settle(consent{w, w.Document.Revision()}, then)
		},
	})
}

// read reads a workflow and puts it in the place of the work.
func (d *Desk) read(c consent, s Source) {
	if !s.slow {
		f, err := s.read(d.config.Jobs.Context())
		d.take(c, f, err)
		return
	}
	d.config.User.Say(Notice{Of: Opening})
	d.opening.Now(func(ctx context.Context) func() {
		f, err := s.read(ctx)
		return func() {
			d.config.User.Say(Notice{})
			d.take(c, f, err)
		}
	})
}

// take puts what was read in the place of the work.
func (d *Desk) take(c consent, f found, err error) {
	if err != nil {
		d.config.User.Complain(err)
		return
	}
	if left, ok := d.draftOf(f); ok {
		d.offer(c, f, left)
		return
	}
	d.begin(c, f)
}

// begin puts what was read in the place of the work, once the user has said what becomes
// of that.
func (d *Desk) begin(c consent, f found) {
	d.settle(c, func(consent) {
		d.Clear(false)
		d.work = newWork(f, &d.config)
		d.config.Begun(d.work)
		if err := d.config.Recent.Add(f.origin, d.work.Document.Name()); err != nil {
			d.config.User.Complain(err)
		}
	})
}
