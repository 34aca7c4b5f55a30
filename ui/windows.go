package ui

import (
	"sync/atomic"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/workspace"
)

// windows are all windows of the program and their shared state. Each has a workspace and
// views; a tab can move from one to another.
type windows struct {
	all  []*Window   // the first one lives as long as the program
	used *Window     // the one that the user used last
	over atomic.Bool // the program is ending, and nothing runs on its goroutine any more
	// oneMenu means that the system shows one main menu, that of the window that was used
	// last.
	oneMenu bool

	dropped *workspace.Session // was dropped outside of its row; nil if nothing is
	landing *job.Latest        // waits for the window where it was dropped
}

// other returns a hidden window: one that was closed before, or else a new one.
func (a *windows) other() (*Window, error) {
	for _, w := range a.all {
		if w.hidden {
			return w, nil
		}
	}
	return a.all[0].another()
}

// of returns the window of a workspace.
func (a *windows) of(d *workspace.Workspace) *Window {
	for _, w := range a.all {
		if w.workspace == d {
			return w
		}
	}
	return a.all[0]
}

// visible are the windows that the user sees.
func (a *windows) visible() (all []*Window) {
	for _, w := range a.all {
		if !w.hidden {
			all = append(all, w)
		}
	}
	return all
}

// use records the window that the user works in.
func (a *windows) use(w *Window) {
	if a.used == w {
		return
	}
	if a.used = w; a.oneMenu {
		w.showMenu()
	}
}

// user returns the user interface of the window that was used last; hosts asks through it.
func (a *windows) user() user { return user{a.used.dialogs, a.used.views} }

// Tell implements [job.Reporter].
func (a *windows) Tell(text string) { a.user().Tell(text) }

// Complain implements [job.Reporter].
func (a *windows) Complain(err error) { a.user().Complain(err) }

// AskServer implements [hosts.User].
func (a *windows) AskServer(at hosts.Address, reason error, then func(hosts.Address)) {
	a.user().AskServer(at, reason, then)
}

// ConfirmForget implements [hosts.User].
func (a *windows) ConfirmForget(address string, then func()) { a.user().ConfirmForget(address, then) }

// ShowServed implements [hosts.User].
func (a *windows) ShowServed(at hosts.Address) { a.user().ShowServed(at) }

// setHost updates all windows after a switch to a host.
func (a *windows) setHost(place hosts.Host, types []*node.Spec) {
	specs := a.all[0].known(types)
	for _, w := range a.all {
		w.setHost(place, specs)
	}
}

// refresh updates all windows.
func (a *windows) refresh() {
	for _, w := range a.visible() {
		w.views.Refresh()
	}
}

// lost shows in all windows that the current server is lost.
func (a *windows) lost(l *hosts.Loss) {
	for _, w := range a.all {
		w.views.lost(l)
	}
}

// found shows in all windows that the server is back.
func (a *windows) found(p hosts.Host) {
	for _, w := range a.all {
		w.views.found(p)
	}
}

// another makes one more window, which is still hidden.
func (w *Window) another() (*Window, error) {
	o := &Window{config: w.config, say: w.say, containers: w.containers, hidden: true}
	o.parts = &parts{jobs: w.jobs, hosts: w.hosts, specs: w.specs, windows: w.windows}
	if err := o.build(w.workspace.ForWindow); err != nil {
		return nil, err
	}
	o.setHost(w.hosts.Here(), w.specs)
	return o, nil
}

// openAnother opens another window and returns its workspace; on failure it complains and
// returns this window's own.
func (w *Window) openAnother() *workspace.Workspace {
	o, err := w.windows.other()
	if err != nil {
		w.views.Complain(err)
		return w.workspace
	}
	o.appear()
	return o.workspace
}

// appear shows a hidden window.
func (w *Window) appear() {
	if w.hidden {
		w.hidden = false
		w.win.Show()
	}
}

// vanish hides an empty window. It is reused for the next tab that needs one, because the
// toolkit still sends mouse events to a closing window.
func (w *Window) vanish() {
	if w.hidden || w == w.windows.all[0] {
		return
	}
	w.hidden = true
	w.win.Hide()
	w.windows.use(w.windows.all[0])
}

// raise shows the window above all others.
func (w *Window) raise() {
	w.appear()
	w.windows.use(w)
	w.win.RequestFocus()
	w.views.Back()
}

// showMenu shows the main menu, unless all windows share one and another window is in use.
func (w *Window) showMenu() {
	if !w.windows.oneMenu || w.windows.used == w {
		w.win.SetMainMenu(w.commands.MainMenu())
	}
}

// moveTab moves the tab of a session that is in another workspace now.
func (w *Window) moveTab(work *workspace.Session, to *workspace.Workspace) {
	t, at := w.tabs[work], w.windows.of(to)
	delete(w.tabs, work)
	at.tabs[work], t.in = t, at
	w.views.Tell("", false) // it may be about a tab that has moved
	if w.workspace.Active() == nil {
		w.views.clear() // it must not draw a session of another window
	}
}

// closing handles the user's closing of a window: the first one ends the program, others
// close their tabs.
func (w *Window) closing() {
	w.windows.use(w)
	if w == w.windows.all[0] {
		w.files.Quit()
		return
	}
	w.workspace.CloseAll(w.vanish)
}

// Window moves the tab in front to another window.
func (t *tabCommands) Window() {
	work := t.workspace.Active()
	if work == nil {
		return
	}
	if to, err := t.windows.other(); err != nil {
		t.windows.Complain(err)
	} else {
		t.workspace.MoveTo(work, to.workspace)
	}
}

// CanWindow reports whether the tab in front can move to another window: a window with one
// tab is one already, unless it is the first window.
func (t *tabCommands) CanWindow() bool {
	return t.workspace.Active() != nil && (len(t.workspace.Sessions()) > 1 || !t.InOtherWindow())
}

// InOtherWindow reports whether this is not the first window.
func (t *tabCommands) InOtherWindow() bool { return t.workspace != t.windows.all[0].workspace }

// Back moves the tab in front to the first window.
func (t *tabCommands) Back() {
	if work := t.workspace.Active(); work != nil {
		t.workspace.MoveTo(work, t.windows.all[0].workspace)
	}
}

// clear empties the canvas.
func (v *views) clear() { v.canvas.SetBoard(blank(v.specs)) }

// tabUser shows messages in the window that has a tab.
type tabUser struct{ *tab }

// Tell implements [job.Reporter].
func (u tabUser) Tell(text string) { u.in.views.Tell(text, false) }

// Complain implements [job.Reporter].
func (u tabUser) Complain(err error) { u.in.views.Complain(err) }
