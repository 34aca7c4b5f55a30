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
package desk

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
	Place  func() Place      // where the user works at the moment
	Specs  func() *doc.Specs // the node types of that place
	Drafts *documents.Drafts
	Recent *documents.Recent
	Tabs   *documents.Tabs
	Jobs   *job.Runner
	// Reach returns the place at an address, without going there. It is called in the
	// background.
	Reach func(ctx context.Context, server string) (Place, error)

	// Begun is told of a work that lies on the desk now, Fronted of the one that is in
	// front now, nil for none, Ending of one that is about to end, and Changed that more or
	// less of a work is kept than before.
	Begun   func(*Work)
	Fronted func(*Work)
	Ending  func(*Work)
	Changed func()
	// Given is told of a work that lies on another desk now. Raise shows the window of the
	// desk before all others, and Another opens a window and returns its desk.
	Given   func(w *Work, to *Desk)
	Raise   func()
	Another func() *Desk
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

// Desk has any number of works on it. Make one with [New]. It belongs to the window's
// goroutine.
type Desk struct {
	config  Config
	works   []*Work // in the order of their tabs; none has ended
	work    *Work   // the one in front; nil if none is
	reading *job.Runner
	office  *sharedSession
}

// New returns an empty desk.
func New(c Config) *Desk {
	o := &sharedSession{kept: kept{tabs: c.Tabs, writing: c.Jobs.Latest(0)}}
	return (&Desk{office: o}).Beside(c)
}

// Work returns what is worked on, which is in front; nil if nothing is.
func (d *Desk) Work() *Work { return d.work }

// Works returns all that lies on the desk, in the order of their tabs.
func (d *Desk) Works() []*Work { return slices.Clone(d.works) }

// Open puts a workflow on the desk, in front. One that lies there already comes to the
// front as it is. If it cannot be read, what is in front stays.
func (d *Desk) Open(s Source) {
	if w := d.office.lying(s.origin); w != nil {
		d.Front(w)
		if s.draft {
			d.config.User.Say(Notice{Of: OpenAlready})
		}
		return
	}
	d.read(s, func(f found) {
		if left, ok := d.draftOf(f); ok {
			d.offer(f, left)
			return
		}
		d.begin(f)
	})
}

// OpenAt opens a stored workflow of a place that has to be reached first. reach calls
// what it is given once that is done.
func (d *Desk) OpenAt(reach func(then func(Place)), id string) {
	reach(func(p Place) { d.Open(Stored(p, id)) })
}

// Front brings a work to the front, and its window if it lies on another desk; nil brings
// none there.
func (d *Desk) Front(w *Work) {
	if w != nil && w.on != d {
		w.on.Front(w)
		w.on.config.Raise()
		return
	}
	if d.work == w {
		return
	}
	if d.work != nil && d.work.Board.Busy() {
		d.work.Board.Cancel() // nobody sees the end of that gesture
	}
	d.Keep()
	d.work = w
	d.config.Fronted(w)
	d.Keep()
}

// Move puts a work at another place in the order.
func (d *Desk) Move(w *Work, to int) {
	from := slices.Index(d.works, w)
	if from < 0 || to < 0 || to >= len(d.works) || from == to {
		return
	}
	d.works = slices.Insert(slices.Delete(d.works, from, from+1), to, w)
	d.config.Changed()
}

// Close ends a work, once the user has said what becomes of unsaved changes. The next one
// comes to the front, if it was there.
func (d *Desk) Close(w *Work) {
	if w == nil {
		return
	}
	d.settle(consent{}, only(w), func() { w.on.drop(w) })
}

// drop ends a work without asking.
func (d *Desk) drop(w *Work) {
	at := slices.Index(d.works, w)
	if at < 0 {
		return
	}
	front := d.work == w
	d.end(w, false)
	if front {
		d.Front(d.next(at))
	}
	d.Keep()
	d.config.Changed()
}

// CloseAll ends all works of this desk, once the user has said what becomes of unsaved
// changes, and goes on with then.
func (d *Desk) CloseAll(then func()) {
	d.settle(consent{}, d.Works, func() {
		for _, w := range d.Works() {
			d.drop(w)
		}
		then()
	})
}

// Leave clears all desks, once the user has said what becomes of unsaved work, and goes on
// with then.
func (d *Desk) Leave(then func()) {
	d.settle(consent{}, d.office.works, func() {
		d.Clear(false)
		then()
	})
}

// Clear ends the works of all desks without asking. With keep their drafts stay. What lay
// there is remembered until something is put on one of them again.
func (d *Desk) Clear(keep bool) {
	for _, d := range d.office.desks {
		d.reading.Close()
		d.reading = d.config.Jobs.Child()
	}
	d.seal()
	d.office.kept.restoring = 0
	for _, d := range d.office.desks {
		for _, w := range d.Works() {
			d.end(w, keep)
		}
		d.Front(nil)
	}
}

// end takes a work off the desk. Whoever calls it brings another one to the front.
func (d *Desk) end(w *Work, keep bool) {
	d.config.Ending(w)
	d.works = slices.DeleteFunc(d.works, func(o *Work) bool { return o == w })
	if err := w.end(keep); err != nil {
		d.config.User.Complain(err)
	}
}

// SetSpecs gives the works the node types of another place.
func (d *Desk) SetSpecs(specs *doc.Specs) {
	for _, w := range d.works {
		w.Document.SetSpecs(specs)
	}
	d.Recheck()
}

// Recheck has the documents checked again by the next [Desk.Check], although they have not
// changed.
func (d *Desk) Recheck() {
	for _, w := range d.works {
		w.checked = never
	}
}

// consent is that the user gives up one state of each of some works.
type consent map[*Work]int

func (c consent) covers(w *Work) bool {
	revision, given := c[w]
	return given && revision == w.Document.Revision()
}

// only is of one work, while it has not ended.
func only(w *Work) func() []*Work {
	return func() []*Work {
		if w.ended {
			return nil
		}
		return []*Work{w}
	}
}

// settle goes on once the user has said what becomes of the unsaved changes of works. They
// are asked about the one in front, in its window. The works stay where they are, and may be
// changed further meanwhile: then is asked for them again.
func (d *Desk) settle(given consent, of func() []*Work, then func()) {
	works := of()
	i := slices.IndexFunc(works, func(w *Work) bool { return w.Document.Edited() && !given.covers(w) })
	if i < 0 {
		then()
		return
	}
	w := works[i]
	d.Front(w)
	w.on.config.User.Ask(Question{
		About: Unsaved, Name: w.Document.Name(), Answers: []Answer{Forsake, Save},
		Then: func(a Answer) {
			if a == Save {
				w.on.save(w, func() { d.settle(given, of, then) })
				return
			}
			given[w] = w.Document.Revision()
			d.settle(given, of, then)
		},
	})
}

// read reads a workflow and goes on with it; it complains if that cannot be read.
func (d *Desk) read(s Source, then func(found)) {
	come := func(f found, err error) {
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

// begin puts what was read on the desk, in front.
func (d *Desk) begin(f found) {
	if w := d.office.lying(f.origin); w != nil { // it was opened twice at the same time
		d.leave(f)
		d.Front(w)
		return
	}
	d.Front(d.put(f, last))
	if err := d.config.Recent.Add(f.origin, d.work.Document.Name()); err != nil {
		d.config.User.Complain(err)
	}
}

// leave leaves what was read where it is.
func (d *Desk) leave(f found) {
	if f.draft == nil {
		return
	}
	if err := f.draft.Keep(); err != nil {
		d.config.User.Complain(err)
	}
}

// put puts what was read on the desk: by its rank behind all that were there before it.
func (d *Desk) put(f found, rank int) *Work {
	w := newWork(f, &d.config)
	w.rank, w.on = rank, d
	at := slices.IndexFunc(d.works, func(o *Work) bool { return rank < o.rank })
	if at < 0 {
		at = len(d.works)
	}
	d.works = slices.Insert(d.works, at, w)
	d.office.kept.sealed = false
	d.config.Begun(w)
	return w
}

// replace puts what was read in the place of a work.
func (d *Desk) replace(w *Work, f found) {
	at := slices.Index(d.works, w)
	if at < 0 {
		d.leave(f)
		return
	}
	fresh := d.put(f, last)
	d.Front(fresh)
	d.end(w, false)
	d.Move(fresh, at)
}
