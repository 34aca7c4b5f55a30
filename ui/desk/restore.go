package desk

import (
	"context"
	"slices"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/job"
)

// kept is what is remembered of which works there are, for the next start of the program.
type kept struct {
	tabs      []documents.Tab // as they were written last
	writing   *job.Latest
	restoring int  // how many are still being read; until then what was remembered stays
	fronted   bool // one of them was in front
	sealed    bool // the desk was cleared, which is no wish to find it empty
}

// remember writes down which works there are, if that has changed.
func (d *Desk) remember() {
	if d.kept.sealed || d.kept.restoring > 0 {
		return
	}
	now := make([]documents.Tab, len(d.works))
	for i, w := range d.works {
		origin := w.origin
		origin.Digest = "" // belongs to what is open, not to the place
		now[i] = documents.Tab{Origin: origin, Draft: w.draft.Name(), Front: w == d.work}
	}
	if slices.Equal(now, d.kept.tabs) {
		return
	}
	d.kept.tabs = now
	tabs, user := d.config.Tabs, d.config.User
	d.kept.writing.Do(func(context.Context) func() {
		if err := tabs.Set(now); err != nil {
			return func() { user.Complain(err) }
		}
		return nil
	})
}

// seal writes down which works there are for the last time.
func (d *Desk) seal() {
	if len(d.works) == 0 {
		return
	}
	d.Keep()
	d.kept.writing.Flush()
	d.kept.sealed = true
}

// Restore puts on the desk what lay there when the program ended, with what was not saved.
// What cannot be read is complained about; what is at a server comes when it answers. It
// reports whether anything lay there.
func (d *Desk) Restore() (some bool) {
	tabs := d.config.Tabs.List()
	d.kept.tabs, d.kept.restoring = tabs, len(tabs)
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

// restored puts one of those that lay on the desk there again. The one that was in front
// comes there, unless the user has opened something else since.
func (d *Desk) restored(tab documents.Tab, rank int, f found, err error) {
	d.kept.restoring--
	switch {
	case err != nil:
		d.config.User.Complain(err)
	case f.definition == nil:
	case d.lying(f.origin) != nil:
		d.drop(f)
	default:
		w := d.put(f, rank)
		if tab.Front && d.work == nil {
			d.Front(w)
		}
	}
	if tab.Front {
		d.kept.fronted = true
	}
	if d.kept.restoring == 0 && d.kept.fronted && d.work == nil && len(d.works) > 0 {
		d.Front(d.works[len(d.works)-1]) // the one that was there is gone
	}
	d.config.Changed()
}
