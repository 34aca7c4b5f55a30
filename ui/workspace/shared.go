package workspace

import (
	"slices"

	"github.com/svcflow/svc/ui/documents"
)

// shared is what the desks of all windows share. Each work lies on one of them.
type shared struct {
	workspaces []*Workspace // the first one is there from the beginning
	remembered rememberedTabs
}

// ForWindow returns another desk, for another window. What lies on it is remembered with what
// lies here, and what is open on one of them is opened on no other.
func (d *Workspace) ForWindow(c Config) *Workspace {
	beside := &Workspace{config: c, reading: c.Jobs.Child(), shared: d.shared}
	d.shared.workspaces = append(d.shared.workspaces, beside)
	return beside
}

// AllSessions returns what lies on all desks.
func (d *Workspace) AllSessions() []*Session { return d.shared.sessions() }

func (o *shared) sessions() (all []*Session) {
	for _, d := range o.workspaces {
		all = append(all, d.sessions...)
	}
	return all
}

// sessionOf returns the work that is kept at origin; nil if there is none.
func (o *shared) sessionOf(origin documents.Origin) *Session {
	all := o.sessions()
	i := slices.IndexFunc(all, func(w *Session) bool { return w.origin.Same(origin) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// MoveTo puts a work on another desk, in front there. Nothing of it changes.
func (d *Workspace) MoveTo(w *Session, to *Workspace) {
	at := slices.Index(d.sessions, w)
	if at < 0 || to == d {
		return
	}
	if w.Board.Busy() {
		w.Board.Cancel() // nobody sees the end of that gesture
	}
	d.sessions = slices.Delete(d.sessions, at, at+1)
	to.sessions = append(to.sessions, w)
	w.in = to
	if d.front == w {
		d.Front(d.next(at))
	}
	d.config.Moved(w, to)
	to.Front(w)
	to.config.Raise()
	d.SaveDrafts()
	d.config.Changed()
}

// next returns the work that comes to the front when that at a place has gone; nil if none
// is left.
func (d *Workspace) next(at int) *Session {
	if len(d.sessions) == 0 {
		return nil
	}
	return d.sessions[min(at, len(d.sessions)-1)]
}
