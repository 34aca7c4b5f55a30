package workspace

import (
	"context"
	"slices"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/job"
)

// rememberedTabs records the open workflows for the next start of the program.
type rememberedTabs struct {
	tabs      *documents.Tabs
	written   []documents.Tab // last
	writing   *job.Latest
	restoring int  // the number of tabs still being read; until then the record stays
	sealed    bool // workspaces were cleared because the program ends: do not record that they are empty
	// workspaces maps the number of a remembered window to its workspace; activated says in
	// which of them a tab was in front.
	workspaces map[int]*Workspace
	activated  map[int]bool
}

// remember writes the record of open workflows if it has changed.
func (d *Workspace) remember() {
	kept := &d.shared.remembered
	if kept.sealed || kept.restoring > 0 {
		return
	}
	now := d.shared.tabs()
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

// tabs returns all open sessions. The first workspace is window 0; others count if they are
// not empty.
func (o *shared) tabs() []documents.Tab {
	all, window := []documents.Tab{}, -1
	for i, d := range o.workspaces {
		if i == 0 || len(d.sessions) > 0 {
			window++
		}
		for _, w := range d.sessions {
			origin := w.origin
			origin.Digest = "" // it belongs to the open document, not to the host
			all = append(all, documents.Tab{Origin: origin, Draft: w.draft.Name(), Front: w == d.front, Window: window})
		}
	}
	return all
}

// seal writes the record of open workflows for the last time.
func (d *Workspace) seal() {
	if len(d.shared.sessions()) == 0 {
		return
	}
	d.SaveDrafts()
	d.shared.remembered.writing.Flush()
	d.shared.remembered.sealed = true
}

// Restore opens the workflows that were open when the program ended, with their unsaved
// changes and in their windows. It complains about what cannot be read. Workflows of a server
// appear when it answers. Restore reports whether anything was open.
func (d *Workspace) Restore() (some bool) {
	kept := &d.shared.remembered
	tabs := kept.tabs.List()
	kept.written, kept.restoring = tabs, len(tabs)
	kept.workspaces, kept.activated = map[int]*Workspace{0: d}, map[int]bool{}
	for rank, tab := range tabs {
		s, ok := d.sourceOf(tab)
		if !ok {
			d.restored(tab, rank, loaded{}, nil)
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

// sourceOf returns the source of a tab: its draft, if there is one, else the saved workflow.
// ok is false if there is neither.
func (d *Workspace) sourceOf(tab documents.Tab) (s Source, ok bool) {
	if left, there := d.config.Drafts.Find(tab.Draft); there && left.Damage == nil {
		return FromDraft(left), true
	}
	origin := tab.Origin
	switch {
	case origin.IsNew():
		return Source{}, false
	case origin.File != "":
		return FromFile(origin.File), true
	}
	return Source{slow: true, origin: origin, read: func(ctx context.Context) (loaded, error) {
		at, err := d.config.Reach(ctx, origin.Server)
		if err != nil {
			return loaded{}, err
		}
		return FromHost(at, origin.ID).read(ctx)
	}}, true
}

// restored inserts a workflow that was open before. If its tab was in front, it is activated,
// unless the user has opened something else since.
func (d *Workspace) restored(tab documents.Tab, rank int, f loaded, err error) {
	kept := &d.shared.remembered
	kept.restoring--
	switch {
	case err != nil:
		d.config.User.Complain(err)
	case f.definition == nil:
	case d.shared.sessionOf(f.origin) != nil:
		d.releaseDraft(f)
	default:
		at := d.deskOf(tab.Window)
		w := at.insert(f, rank)
		if tab.Front && at.front == nil {
			at.Front(w)
		}
	}
	if tab.Front {
		kept.activated[tab.Window] = true
	}
	if kept.restoring == 0 {
		for window, at := range kept.workspaces {
			if (kept.activated[window] || window > 0) && at.front == nil && len(at.sessions) > 0 {
				at.Front(at.sessions[len(at.sessions)-1]) // the one that was there is gone
			}
		}
	}
	d.config.Changed()
}

// deskOf returns the workspace of a remembered window, and opens the window when it is first
// needed.
func (d *Workspace) deskOf(window int) *Workspace {
	desks := d.shared.remembered.workspaces
	if desks[window] == nil {
		desks[window] = d.config.NewWindow()
	}
	return desks[window]
}
