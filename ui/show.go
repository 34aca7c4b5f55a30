package ui

import (
	"errors"
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/start"
	"github.com/svcflow/svc/ui/wording"
	"github.com/svcflow/svc/ui/workspace"
)

// Board returns the board of the canvas; nil while nothing is open.
func (v *views) Board() *board.Board { return v.board() }

// front shows the session in front.
func (v *views) front(w *workspace.Session) {
	v.canvas.SetBoard(v.board())
	if v.neverShown {
		v.neverShown = false
		w.Board.Open()
	}
	v.showCanvas()
	v.runTab.SetTyped(v.typed)
	v.ready(w.Document.Definition())
	v.names.learn()
	v.Refresh()
	v.Back()
	if run := v.runs.Shown(); run != nil && v.unseen {
		v.unseen = false
		v.showOutcome(run)
		v.showTabs()
	}
}

// setHost shows another host.
func (v *views) setHost(p hosts.Host) {
	v.banner.show(v.hosts.Lost())
	v.palette.SetSpecs(v.specs)
	v.accounts.SetSource(p.Accounts)
	v.history.SetHistory(p.Backend)
	v.top.showPlace(p.Name(), p.URL != "")
	v.names.learn()
}

// showStart shows the start page.
func (v *views) showStart(state start.State) {
	v.start.Update(state)
	v.stage.showStart(true)
	v.panels.fold()
	v.top.show("", false, "")
	v.top.enable(false)
	v.setTitle(windowTitle("", false))
	v.showTabs()
	v.commands.Refresh()
}

// showCanvas shows the canvas instead of the start page.
func (v *views) showCanvas() {
	v.stage.showStart(false)
	v.top.enable(true)
	v.panels.unfold()
}

// showRun shows the current run, or the document.
func (v *views) showRun() {
	if b := v.board(); b != nil && v.canvas.Board() != b {
		v.canvas.SetBoard(b)
	}
	if v.runs.Shown() != nil {
		v.showCanvas()
		v.panels.shell.SetBottomVisible(true)
	}
	v.Refresh()
}

// Back focuses the canvas.
func (v *views) Back() {
	on := v.win.Canvas()
	if v.board() != nil && v.canvas.Visible() && on.Overlays().Top() == nil {
		on.Focus(v.canvas)
	}
}

// OnScreen converts a point of the document to one of the window.
func (v *views) OnScreen(at geom.Point) fyne.Position {
	corner := fyne.CurrentApp().Driver().AbsolutePositionForObject(v.canvas)
	on := v.canvas.Board().View.ToScreen(at)
	return corner.AddXY(float32(on.X), float32(on.Y))
}

// Edit shows the settings of the selection; port may name one of them.
func (v *views) Edit(port string) {
	b := v.board()
	if b == nil {
		return
	}
	v.panels.showRight(tabInspector)
	v.inspector.Update(b)
	v.inspector.Focus(port)
}

// Tell shows a message; a bad one stands out.
func (v *views) Tell(text string, bad bool) { v.status.tell(text, bad) }

// Complain shows an error: problems of the workflow in the list of problems, all others in
// the status bar.
func (v *views) Complain(err error) {
	if problems, ok := errors.AsType[engine.ValidationErrors](err); ok {
		v.showProblems(problems)
		v.panels.showRight(tabProblems)
		v.Tell(lang.L("The workflow cannot run yet: see its problems"), true)
		return
	}
	v.Tell(wording.Of(err.Error()), true)
	v.hosts.Look() // in case that is why
}

// showProblems shows the problems of validation, on the canvas and in the lists.
func (v *views) showProblems(problems engine.ValidationErrors) {
	if w := v.workspace.Active(); w != nil {
		w.Board.SetProblems(problems)
		v.Refresh()
	}
}

// Used remembers the type of a node that was added.
func (v *views) Used(typ string) {
	v.palette.Used(typ)
	v.settings.SetStringList(settingTypes, v.palette.Recent())
}

// templates returns the templates, simplest first.
func (v *views) templates() []start.Template {
	templates := make([]start.Template, len(v.config.Templates))
	for i, t := range v.config.Templates {
		templates[i] = start.Template{Name: t.Name, Definition: t.Definition}
	}
	slices.SortStableFunc(templates, func(a, b start.Template) int { return len(a.Definition.Nodes) - len(b.Definition.Nodes) })
	return templates
}

// showNode shows a node of any level, "loop/fmt".
func (v *views) showNode(path string) {
	v.editing.Look(func(b *board.Board) { b.ShowPath(path) })
}

func (v *views) showProblem(p *engine.ValidationError) {
	if p.NodeID != "" {
		v.showNode(p.NodeID)
		v.Edit(p.Port)
	}
}

// ShowOutline shows and focuses the outline.
func (v *views) ShowOutline() {
	v.panels.showLeft(tabOutline)
	v.outline.Focus(v.win.Canvas())
}

// SearchTypes shows and focuses the node types.
func (v *views) SearchTypes() {
	v.panels.showLeft(tabTypes)
	v.palette.Focus(v.win.Canvas())
}

// deselect shows the settings of the workflow itself.
func (v *views) deselect() {
	v.editing.Look(func(b *board.Board) { b.Selection.Clear() })
	v.Edit("")
}

func (v *views) runOrCancel() {
	if !v.commands.Run("run.cancel") {
		v.commands.Run("run.start")
	}
}

// ShowCommands opens the palette of commands, nodes and node types.
func (v *views) ShowCommands() {
	v.commands.ShowPalette(v.win.Canvas(), func(query string) []kit.Choice {
		b := v.board()
		if query == "" {
			return nil
		}
		nodes := v.openTabs()
		if b == nil {
			return kit.Matching(nodes, query)
		}
		cards := b.Document().Cards()
		for i := range cards {
			path := fold.Join(b.Document().Path(), cards[i].Node.ID)
			nodes = append(nodes, kit.Choice{Title: cards[i].Title(), Detail: cards[i].Node.Type, Trailing: lang.L("node"), Pick: func() { v.showNode(path) }})
		}
		found := kit.Matching(nodes, query)
		if !b.ReadOnly {
			found = append(found, palette.Choices(v.specs.Search(query), func(c doc.Choice) { v.editing.Add(c.Spec.Type) })...)
		}
		return found
	})
}

// ShowShortcuts shows the settings of shortcuts.
func (v *views) ShowShortcuts() { v.commands.ShowShortcuts(v.dialogs.Show) }

// ShowAbout shows the version of the program.
func (v *views) ShowAbout() { v.dialogs.About(v.config.Version) }

// titleOf returns the title of a node of any level.
func (v *views) titleOf(path string) string {
	b := v.board()
	if b == nil {
		return ""
	}
	containers, id := fold.Split(path)
	if !slices.Equal(containers, b.Document().Path()) {
		return ""
	}
	if card, ok := b.Document().Card(id); ok {
		return card.Title()
	}
	return ""
}

func windowTitle(name string, edited bool) string {
	switch {
	case name == "":
		return "Svc"
	case edited:
		return "• " + name + " – Svc"
	}
	return name + " – Svc"
}

func problemsTitle(n int) string {
	if n == 0 {
		return lang.L("Problems")
	}
	return lang.L("Problems") + " " + strconv.Itoa(n)
}
