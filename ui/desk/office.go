package desk

import (
	"slices"

	"github.com/svcflow/svc/ui/documents"
)

// sharedSession is what the desks of all windows share. Each work lies on one of them.
type sharedSession struct {
	desks []*Desk // the first one is there from the beginning
	kept  kept
}

// Beside returns another desk, for another window. What lies on it is remembered with what
// lies here, and what is open on one of them is opened on no other.
func (d *Desk) Beside(c Config) *Desk {
	beside := &Desk{config: c, reading: c.Jobs.Child(), office: d.office}
	d.office.desks = append(d.office.desks, beside)
	return beside
}

// Everywhere returns what lies on all desks.
func (d *Desk) Everywhere() []*Work { return d.office.works() }

func (o *sharedSession) works() (all []*Work) {
	for _, d := range o.desks {
		all = append(all, d.works...)
	}
	return all
}

// lying returns the work that is kept at origin; nil if there is none.
func (o *sharedSession) lying(origin documents.Origin) *Work {
	all := o.works()
	i := slices.IndexFunc(all, func(w *Work) bool { return w.origin.Same(origin) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Give puts a work on another desk, in front there. Nothing of it changes.
func (d *Desk) Give(w *Work, to *Desk) {
	at := slices.Index(d.works, w)
	if at < 0 || to == d {
		return
	}
	if w.Board.Busy() {
		w.Board.Cancel() // nobody sees the end of that gesture
	}
	d.works = slices.Delete(d.works, at, at+1)
	to.works = append(to.works, w)
	w.on = to
	if d.work == w {
		d.Front(d.next(at))
	}
	d.config.Given(w, to)
	to.Front(w)
	to.config.Raise()
	d.Keep()
	d.config.Changed()
}

// next returns the work that comes to the front when that at a place has gone; nil if none
// is left.
func (d *Desk) next(at int) *Work {
	if len(d.works) == 0 {
		return nil
	}
	return d.works[min(at, len(d.works)-1)]
}
