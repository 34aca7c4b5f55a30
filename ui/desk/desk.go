// Package desk is the room of the window in which workflows are worked on: it opens
// them, keeps drafts of what is not saved, has them checked, saves them, and settles with
// the user what becomes of unsaved work. Several lie on the desk at once, one of them in
// front. It knows no toolkit: the user, the place where workflows are kept, and whoever
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
	kept    kept
}

// New returns an empty desk.
func New(c Config) *Desk {
	return &Desk{config: c, reading: c.Jobs.Child(), kept: kept{writing: c.Jobs.Latest(0)}}
}

// Work returns what is worked on, which is in front; nil if nothing is.
func (d *Desk) Work() *Work { return d.work }

// Works returns all that lies on the desk, in the order of their tabs.
func (d *Desk) Works() []*Work { return slices.Clone(d.works) }

// Open puts a workflow on the desk, in front. One that lies there already comes to the
// front as it is. If it cannot be read, what is in front stays.
func (d *Desk) Open(s Source) {
	if w := d.lying(s.origin); w != nil {
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

// lying returns the work that is kept at origin; nil if there is none.
func (d *Desk) lying(origin documents.Origin) *Work {
	i := slices.IndexFunc(d.works, func(w *Work) bool { return w.origin.Same(origin) })
	if i < 0 {
		return nil
	}
	return d.works[i]
}

// Front brings a work to the front; nil brings none there.
func (d *Desk) Front(w *Work) {
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
	d.settle(consent{}, w, func() {
		at := slices.Index(d.works, w)
		if at < 0 {
			return
		}
		var next *Work
		if len(d.works) > 1 {
			next = slices.Delete(d.Works(), at, at+1)[min(at, len(d.works)-2)]
		}
		front := d.work == w
		d.end(w, false)
		if front {
			d.Front(next)
		}
		d.Keep()
		d.config.Changed()
	})
}

// Leave clears the desk, once the user has said what becomes of unsaved work, and goes on
// with then.
func (d *Desk) Leave(then func()) {
	d.settle(consent{}, nil, func() {
		d.Clear(false)
		then()
	})
}

// Clear ends all works without asking. With keep their drafts stay. What lay on the desk
// is remembered until something is put there again.
func (d *Desk) Clear(keep bool) {
	d.reading.Close()
	d.reading = d.config.Jobs.Child()
	d.seal()
	d.kept.restoring = 0
	for _, w := range d.Works() {
		d.end(w, keep)
	}
	d.Front(nil)
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

// settle goes on once the user has said what becomes of the unsaved changes of a work, or
// of all of them if it is nil. They are asked about the one in front. The works stay where
// they are, and may be changed further meanwhile: then is asked for them again.
func (d *Desk) settle(given consent, only *Work, then func()) {
	i := slices.IndexFunc(d.works, func(w *Work) bool {
		return (only == nil || w == only) && w.Document.Edited() && !given.covers(w)
	})
	if i < 0 {
		then()
		return
	}
	w := d.works[i]
	d.Front(w)
	d.config.User.Ask(Question{
		About: Unsaved, Name: w.Document.Name(), Answers: []Answer{Forsake, Save},
		Then: func(a Answer) {
			if a == Save {
				d.save(w, func() { d.settle(given, only, then) })
				return
			}
			given[w] = w.Document.Revision()
			d.settle(given, only, then)
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
	if w := d.lying(f.origin); w != nil { // it was opened twice at the same time
		d.drop(f)
		d.Front(w)
		return
	}
	d.Front(d.put(f, last))
	if err := d.config.Recent.Add(f.origin, d.work.Document.Name()); err != nil {
		d.config.User.Complain(err)
	}
}

// drop leaves what was read where it is.
func (d *Desk) drop(f found) {
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
	w.rank = rank
	at := slices.IndexFunc(d.works, func(o *Work) bool { return rank < o.rank })
	if at < 0 {
		at = len(d.works)
	}
	d.works = slices.Insert(d.works, at, w)
	d.kept.sealed = false
	d.config.Begun(w)
	return w
}

// replace puts what was read in the place of a work.
func (d *Desk) replace(w *Work, f found) {
	at := slices.Index(d.works, w)
	if at < 0 {
		d.drop(f)
		return
	}
	fresh := d.put(f, last)
	d.Front(fresh)
	d.end(w, false)
	d.Move(fresh, at)
}
