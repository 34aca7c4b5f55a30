package ui

import (
	"context"
	"errors"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runs"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/workspace"
)

// tab is the window's state for an open workflow, in addition to its session, or for the
// start page. It ends with the session.
type tab struct {
	in         *Window // where it is
	runs       *runs.Runs
	firing     firing          // the last choice
	stopNodes  map[string]bool // its breakpoints, by path
	outcome    outcome
	typed      runview.Typed // inputs typed for the next run, while another tab is in front
	neverShown bool          // was never in front
	unseen     bool          // a run has ended while the tab was not in front
}

// begin makes the tab of a session; nil is the start page.
func (w *Window) begin(work *workspace.Session) {
	t := &tab{in: w, stopNodes: map[string]bool{}, neverShown: true}
	seen := func(do func(*views)) func() {
		return func() {
			if t == t.in.tab {
				do(t.in.views)
			} else {
				t.in.views.showTabs()
			}
		}
	}
	t.runs = runs.New(runs.Config{
		User: tabUser{t}, Jobs: w.jobs, Specs: func() *doc.Specs { return t.in.specs },
		Shown: seen((*views).showRun), Progressed: seen((*views).runProgressed), Ticked: seen((*views).refreshClock),
		Ended: func(r *runs.Run, err error) {
			if t == t.in.tab {
				t.in.running.ended(r, err)
			} else {
				t.in.running.endedBehind(t, r, err)
			}
		},
	})
	w.tabs[work] = t
}

// front shows a session; nil shows the start page.
func (w *Window) front(work *workspace.Session) {
	if w.windows.over.Load() {
		return
	}
	w.typed = w.views.runTab.Typed()
	if w.tab == w.tabs[nil] {
		w.runs.Forget() // cancels a run that is still being opened there
	}
	w.tab = w.tabs[work]
	w.win.Canvas().Unfocus() // the focused field belongs to the other tab
	if w.views.status.about != nil {
		w.views.Tell("", false) // the message belongs to the other tab
	}
	if work == nil {
		w.files.showStart()
		if len(w.workspace.Sessions()) == 0 {
			w.vanish()
		}
		return
	}
	w.appear()
	w.views.front(work)
}

// ending drops the tab of a session.
func (w *Window) ending(work *workspace.Session) {
	w.tabs[work].runs.Forget()
	delete(w.tabs, work)
}

// reach returns the host at an address, for a workflow that is stored there.
func (w *Window) reach(ctx context.Context, server string) (workspace.Host, error) {
	at := w.config.Local
	if server != "" {
		var err error
		if at, err = w.config.Servers.Connect(ctx, server, ""); err != nil {
			return workspace.Host{}, err
		}
	}
	return workspace.Host{URL: at.URL, Store: at.Backend}, nil
}

// endedBehind marks a tab that is not in front when its run ends.
func (r *runCommands) endedBehind(t *tab, run *runs.Run, err error) {
	t.unseen = true
	r.views.history.Reload()
	r.views.showTabs()
	about := map[string]any{"Name": r.nameOf(t)}
	problems, invalid := errors.AsType[engine.ValidationErrors](err)
	switch {
	case invalid:
		run.Board.SetProblems(problems)
		r.views.tellOf(t, lang.L("The workflow cannot run yet: see its problems"), true)
	case err != nil:
		r.views.Complain(err)
	case run.Record.Status == engine.StatusFailed:
		r.views.tellOf(t, lang.L("A run has failed in “{{.Name}}”.", about), true)
	case run.Record.Status == engine.StatusCompleted:
		r.views.tellOf(t, lang.L("A run has ended in “{{.Name}}”.", about), false)
	}
}

// workOf returns the session of a tab; nil if it has ended, or is the start page.
func (r *parts) workOf(t *tab) *workspace.Session {
	for work, of := range r.tabs {
		if of == t {
			return work
		}
	}
	return nil
}

func (r *parts) nameOf(t *tab) string {
	if work := r.workOf(t); work != nil {
		return work.Document.Name()
	}
	return ""
}

// tellOf shows a message about a tab; a click on it shows the tab.
func (v *views) tellOf(t *tab, text string, bad bool) {
	v.Tell(text, bad)
	v.status.about = func() {
		if work := v.workOf(t); work != nil {
			v.workspace.Front(work)
		}
	}
}

// newStrip makes the row of tabs.
func (v *views) newStrip() *kit.Strip {
	s := kit.NewStrip(lang.L("New tab"), v.command("file.start"))
	s.OnSelect = func(i int) {
		v.tabbing.Go(i)
		v.Back()
	}
	s.OnClose = func(i int) {
		if works := v.workspace.Sessions(); i < len(works) {
			v.workspace.Close(works[i])
		} else {
			v.tabbing.Close()
		}
	}
	s.OnOut, s.OnOver = v.letGo, v.catch
	s.OnMenu = func(i int, at fyne.Position) {
		v.tabbing.Go(i)
		menu := v.commands.Menu("tab.close", "", "tab.left", "tab.right", "", "tab.window", "tab.back")
		widget.NewPopUpMenu(menu, v.win.Canvas()).ShowAtPosition(at)
	}
	s.OnMove = func(from, to int) {
		if works := v.workspace.Sessions(); from < len(works) {
			v.workspace.Move(works[from], to)
		}
	}
	return s
}

// showTabs shows the tabs and their states.
func (v *views) showTabs() {
	works := v.workspace.Sessions()
	heads := make([]kit.Head, 0, len(works)+1)
	for _, work := range works {
		heads = append(heads, v.headOf(work))
	}
	shown := slices.Index(works, v.workspace.Active())
	if shown < 0 && len(works) > 0 {
		shown = len(heads)
		heads = append(heads, kit.Head{Title: lang.L("Start")})
	}
	seen := v.strip.Object().Visible()
	if v.strip.Update(heads, shown); v.strip.Object().Visible() != seen {
		v.stage.whole.Refresh() // adjusts its height
	}
}

func (v *views) headOf(work *workspace.Session) kit.Head {
	t, origin := v.tabs[work], work.Origin()
	head := kit.Head{Title: work.Document.Name(), Edited: work.Document.Edited()}
	switch {
	case origin.File != "":
		head.Tip = origin.File
	case !origin.IsNew():
		head.Tip = origin.ID + " · " + hosts.NameOf(origin.Server)
	}
	switch run := t.runs.Shown(); {
	case t.waitsAt() != "":
		head.State = kit.HeadWaits
	case t.runs.Running():
		head.State = kit.HeadRuns
	case t.unseen && run != nil && run.Record.Status == engine.StatusCompleted:
		head.State = kit.HeadDone
	case t.unseen && run != nil && run.Record.Status == engine.StatusFailed:
		head.State = kit.HeadFailed
	}
	return head
}

// openTabs returns all tabs but the one in front, to choose from.
func (v *views) openTabs() (choices []kit.Choice) {
	for _, work := range v.workspace.AllSessions() {
		if work != v.workspace.Active() {
			choices = append(choices, kit.Choice{Title: work.Document.Name(), Trailing: lang.L("open"), Pick: func() { v.workspace.Front(work) }})
		}
	}
	return choices
}

// tabCommands goes from one workflow that is open to another.
type tabCommands struct{ *parts }

// Several reports whether there is another tab to go to.
func (t *tabCommands) Several() bool {
	works := len(t.workspace.Sessions())
	return works > 1 || works == 1 && t.workspace.Active() == nil
}

// Any reports whether there is a tab.
func (t *tabCommands) Any() bool { return len(t.workspace.Sessions()) > 0 }

// Close closes the tab in front.
func (t *tabCommands) Close() {
	work := t.workspace.Active()
	if work == nil {
		t.Go(len(t.workspace.Sessions()) - 1) // the start page is seen only while it is in front
		return
	}
	t.workspace.Close(work)
}

// Step shows the next tab, or with -1 the previous one, wrapping around.
func (t *tabCommands) Step(by int) {
	works := t.workspace.Sessions()
	if len(works) == 0 {
		return
	}
	at := slices.Index(works, t.workspace.Active())
	if at < 0 && by < 0 {
		at = len(works)
	}
	t.Go((at + by + len(works)) % len(works))
}

// Go shows the tab with an index, from 0, if it exists.
func (t *tabCommands) Go(to int) {
	if works := t.workspace.Sessions(); to >= 0 && to < len(works) {
		t.workspace.Front(works[to])
	}
}

// Last shows the last tab.
func (t *tabCommands) Last() { t.Go(len(t.workspace.Sessions()) - 1) }

// Move moves the tab in front one position to the right, or to the left if by is -1.
func (t *tabCommands) Move(by int) {
	if work := t.workspace.Active(); work != nil {
		t.workspace.Move(work, slices.Index(t.workspace.Sessions(), work)+by)
	}
}
