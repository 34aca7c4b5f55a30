package workspace

import (
	"slices"

	"github.com/svcflow/svc/ui/documents"
)

// shared is the state that the workspaces of all windows share. Each session is in one of
// them.
type shared struct {
	workspaces []*Workspace // the first one is there from the beginning
	remembered rememberedTabs
}

// ForWindow returns a workspace for another window. All workspaces are remembered together,
// and a workflow is open in only one of them.
func (d *Workspace) ForWindow(c Config) *Workspace {
	beside := &Workspace{config: c, reading: c.Jobs.Child(), shared: d.shared}
	d.shared.workspaces = append(d.shared.workspaces, beside)
	return beside
}

// AllSessions returns the sessions of all workspaces.
func (d *Workspace) AllSessions() []*Session { return d.shared.sessions() }

func (o *shared) sessions() (all []*Session) {
	for _, d := range o.workspaces {
		all = append(all, d.sessions...)
	}
	return all
}

// sessionOf returns the session of the workflow saved at origin; nil if it is not open.
func (o *shared) sessionOf(origin documents.Origin) *Session {
	all := o.sessions()
	i := slices.IndexFunc(all, func(w *Session) bool { return w.origin.Same(origin) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// MoveTo moves a session to another workspace and activates it there. The session itself
// stays as it is.
func (d *Workspace) MoveTo(w *Session, to *Workspace) {
	at := slices.Index(d.sessions, w)
	if at < 0 || to == d {
		return
	}
	if w.Board.Busy() {
		w.Board.Cancel() // the end of that gesture would be missed
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

// next returns the session to activate after the one at index at is gone; nil if none is
// left.
func (d *Workspace) next(at int) *Session {
	if len(d.sessions) == 0 {
		return nil
	}
	return d.sessions[min(at, len(d.sessions)-1)]
}
