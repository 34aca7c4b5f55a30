package desk

import (
	"context"
	"slices"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/job"
)

// kept is what is remembered of which works there are, for the next start of the program.
type kept struct {
	tabs      *documents.Tabs
	written   []documents.Tab // last
	writing   *job.Latest
	restoring int  // how many are still being read; until then what was remembered stays
	sealed    bool // the desks were cleared, which is no wish to find them empty
	// desks are those for the windows there were, by number, and fronted is in which of
	// them something was in front.
	desks   map[int]*Desk
	fronted map[int]bool
}

// remember writes down which works there are, if that has changed.
func (d *Desk) remember() {
	kept := &d.office.kept
	if kept.sealed || kept.restoring > 0 {
		return
	}
	now := d.office.tabs()
	if slices.Equal(now, kept.written) {
		return
	}
	kept.written = now
	tabs, user := kept.tabs, d.config.User
	kept.writing.Do(func(context.Context) func() {
		if err := tabs.Set(now); err != nil {
			return func() { user.Complain(err) }
		}
		return nil
	})
}

// tabs are the works there are. The first desk is that of window 0; others count if
// something lies on them.
func (o *sharedSession) tabs() []documents.Tab {
	all, window := []documents.Tab{}, -1
	for i, d := range o.desks {
		if i == 0 || len(d.works) > 0 {
			window++
		}
		for _, w := range d.works {
			origin := w.origin
			origin.Digest = "" // belongs to what is open, not to the place
			all = append(all, documents.Tab{Origin: origin, Draft: w.draft.Name(), Front: w == d.work, Window: window})
		}
	}
	return all
}

// seal writes down which works there are for the last time.
func (d *Desk) seal() {
	if len(d.office.works()) == 0 {
		return
	}
	d.Keep()
	d.office.kept.writing.Flush()
	d.office.kept.sealed = true
}

// Restore puts on the desk what lay there when the program ended, with what was not saved,
// and on others what lay on others. What cannot be read is complained about; what is at a
// server comes when it answers. It reports whether anything lay there.
func (d *Desk) Restore() (some bool) {
	kept := &d.office.kept
	tabs := kept.tabs.List()
	kept.written, kept.restoring = tabs, len(tabs)
	kept.desks, kept.fronted = map[int]*Desk{0: d}, map[int]bool{}
	for rank, tab := range tabs {
		s, ok := d.sourceOf(tab)
		if !ok {
			d.restored(tab, rank, found{}, nil)
			continue
		}
		some = true
		if !s.slow {
			f, err := s.read(d.config.Jobs.Context())
			d.restored(tab, rank, f, err)
			continue
		}
		d.reading.Go(func(ctx context.Context) func() {
			f, err := s.read(ctx)
			return func() { d.restored(tab, rank, f, err) }
		})
	}
	return some
}

// sourceOf returns where a workflow is that was open: its draft, if there is one. ok is
// false if there is nothing of it.
func (d *Desk) sourceOf(tab documents.Tab) (s Source, ok bool) {
	if left, there := d.config.Drafts.Find(tab.Draft); there && left.Damage == nil {
		return Left(left), true
	}
	origin := tab.Origin
	switch {
	case origin.IsNew():
		return Source{}, false
	case origin.File != "":
		return File(origin.File), true
	}
	return Source{slow: true, origin: origin, read: func(ctx context.Context) (found, error) {
		at, err := d.config.Reach(ctx, origin.Server)
		if err != nil {
			return found{}, err
		}
		return Stored(at, origin.ID).read(ctx)
	}}, true
}

// restored puts one of those that lay on a desk there again. The one that was in front
// comes there, unless the user has opened something else since.
func (d *Desk) restored(tab documents.Tab, rank int, f found, err error) {
	kept := &d.office.kept
	kept.restoring--
	switch {
	case err != nil:
		d.config.User.Complain(err)
	case f.definition == nil:
	case d.office.lying(f.origin) != nil:
		d.leave(f)
	default:
		at := d.deskOf(tab.Window)
		w := at.put(f, rank)
		if tab.Front && at.work == nil {
			at.Front(w)
		}
	}
	if tab.Front {
		kept.fronted[tab.Window] = true
	}
	if kept.restoring == 0 {
		for window, at := range kept.desks {
			if (kept.fronted[window] || window > 0) && at.work == nil && len(at.works) > 0 {
				at.Front(at.works[len(at.works)-1]) // the one that was there is gone
			}
		}
	}
	d.config.Changed()
}

// deskOf returns the desk for what lay in a window, by its number. A window is opened for
// the first of it.
func (d *Desk) deskOf(window int) *Desk {
	desks := d.office.kept.desks
	if desks[window] == nil {
		desks[window] = d.config.Another()
	}
	return desks[window]
}
