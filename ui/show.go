package ui

import (
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/start"
)

// showStart shows the start page.
func (w *Window) showStart() {
	w.forgetRun()
	w.desk = nil
	state := start.State{Place: placeName(w.place)}
	for _, e := range w.config.Recent.List() {
		state.Recent = append(state.Recent, start.Recent{Entry: e, Missing: e.Missing()})
	}
	left, err := w.config.Drafts.Left()
	if err != nil {
		w.complain(err)
	}
	state.Drafts = left
	w.start.Update(state)
	w.stage.showStart(true)
	w.fold()
	w.top.show("", false, "")
	w.top.enable(false)
	w.setTitle(windowTitle("", false))
	w.commands.Refresh()
}

// showCanvas shows the canvas in place of the start page.
func (w *Window) showCanvas() {
	w.stage.showStart(false)
	w.top.enable(true)
	if w.folded != nil {
		w.panels.SetSides(*w.folded)
		w.folded = nil
	}
}

// fold gives the start page the room of the panels, which have nothing to show.
func (w *Window) fold() {
	if w.folded != nil {
		return
	}
	kept := w.panels.Sides()
	w.folded = &kept
	none := kept
	none.LeftFolded, none.RightFolded, none.BottomFolded = true, true, true
	w.panels.SetSides(none)
}

// sides returns how the user has divided the window.
func (w *Window) sides() kit.Sides {
	if w.folded != nil {
		return *w.folded
	}
	return w.panels.Sides()
}

// templates returns the templates, the simplest ones first.
func (w *Window) templates() []start.Template {
	templates := make([]start.Template, len(w.config.Templates))
	for i, t := range w.config.Templates {
		templates[i] = start.Template{Name: t.Name, Definition: t.Definition}
	}
	slices.SortStableFunc(templates, func(a, b start.Template) int { return len(a.Definition.Nodes) - len(b.Definition.Nodes) })
	return templates
}

// showNode shows a node of any level, "loop/fmt".
func (w *Window) showNode(path string) {
	if w.opened() && w.board().ShowPath(path) {
		w.refresh()
	}
}

func (w *Window) showProblem(p *engine.ValidationError) {
	if p.NodeID != "" {
		w.showNode(p.NodeID)
		w.edit(p.Port)
	}
}

// showSide and showBottom show a page of a panel.
func (w *Window) showSide(tab int) {
	w.panels.SetRightVisible(true)
	w.side.Select(tab)
}

func (w *Window) showBottom(tab int) {
	w.panels.SetBottomVisible(true)
	w.bottom.Select(tab)
}

func (w *Window) toggleLeft()   { w.fix(w.panels.SetLeftVisible, w.sides().LeftFolded) }
func (w *Window) toggleRight()  { w.fix(w.panels.SetRightVisible, w.sides().RightFolded) }
func (w *Window) toggleBottom() { w.fix(w.panels.SetBottomVisible, w.sides().BottomFolded) }

// fix shows or hides a panel for this time and the next.
func (w *Window) fix(show func(bool), on bool) {
	show(on)
	w.settings.setSides(w.sides())
	w.refresh()
}

func (w *Window) toggleMinimap() {
	if w.minimap.Visible() {
		w.minimap.Hide()
	} else {
		w.minimap.Show()
	}
	w.settings.SetBool(settingMinimap, w.minimap.Visible())
	w.refresh()
}

func (w *Window) showOutline() {
	w.panels.SetLeftVisible(true)
	w.left.Select(tabOutline)
	w.outline.Focus(w.win.Canvas())
}

func (w *Window) searchTypes() {
	w.panels.SetLeftVisible(true)
	w.left.Select(tabTypes)
	w.palette.Focus(w.win.Canvas())
}

// deselect shows the settings of the workflow itself.
func (w *Window) deselect() {
	if w.opened() {
		w.board().Selection.Clear()
		w.refresh()
		w.edit("")
	}
}

func (w *Window) runOrCancel() {
	if !w.commands.Run("run.cancel") {
		w.commands.Run("run.start")
	}
}

// setScheme shows everything in other colours.
func (w *Window) setScheme(name string) {
	w.settings.setScheme(name)
	w.config.App.Settings().SetTheme(w.settings.theme())
	w.canvas.Refresh()
	w.minimap.Refresh()
	w.refresh()
}

// showCommands opens the palette of commands, nodes and node types.
func (w *Window) showCommands() {
	w.commands.ShowPalette(w.win.Canvas(), func(query string) []kit.Choice {
		if !w.opened() || query == "" {
			return nil
		}
		var nodes []kit.Choice
		cards := w.board().Document().Cards()
		for i := range cards {
			id := cards[i].Node.ID
			nodes = append(nodes, kit.Choice{Title: cards[i].Title(), Detail: cards[i].Node.Type, Trailing: lang.L("node"), Pick: func() { w.showNode(fold.Join(w.board().Document().Path(), id)) }})
		}
		found := matching(nodes, query)
		if w.changeable() {
			found = append(found, palette.Choices(w.specs.Search(query), func(c doc.Choice) { w.addNode(c.Spec.Type, w.room()) })...)
		}
		return found
	})
}

// showAccounts shows the accounts of the place. If a network is named, it leads to
// connecting one of it, and calls then with the reference.
func (w *Window) showAccounts(network string, then func(ref string)) {
	d := dialog.NewCustom(placeName(w.place), lang.L("Close"), w.accounts.Object(), w.win)
	const width, height = 620, 520
	d.Resize(fyne.NewSize(width, height))
	w.showDialog(d, w.learnNames)
	w.accounts.Reload()
	if then != nil {
		w.accounts.Connect(network, func(ref string) {
			d.Hide()
			then(ref)
		})
	}
}

func (w *Window) accountsConfig() accounts.Config {
	return accounts.Config{
		Changed: w.learnNames,
		Copy:    w.config.App.Clipboard().SetContent,
		Confirm: func(text string, then func()) {
			w.ask(lang.L("Are you sure?"), text, choice{text: lang.L("Disconnect"), do: then})
		},
	}
}

func (w *Window) paletteConfig() palette.Config {
	return palette.Config{
		Specs: w.specs, Recent: w.settings.StringList(settingTypes), Leave: w.focusCanvas,
		Add: func(typ string) {
			if w.changeable() {
				w.addNode(typ, w.room())
				w.focusCanvas()
			}
		},
		Carry: func(typ string, at fyne.Position) {
			if w.changeable() {
				w.canvas.Carry(typ, at)
			}
		},
		Drop: func(_ string, at fyne.Position) {
			if w.changeable() {
				w.canvas.DropCarried(at)
				w.focusCanvas()
			}
		},
	}
}

func (w *Window) showAbout() {
	label := widget.NewLabel(lang.L("Svc {{.Version}}\n\nWorkflows of typed nodes: draw them, run them here, and run the very same document on a server.", map[string]any{"Version": w.config.Version}))
	label.Wrapping = fyne.TextWrapWord
	d := dialog.NewCustom(lang.L("About Svc"), lang.L("Close"), label, w.win)
	const width, height = 420, 200
	d.Resize(fyne.NewSize(width, height))
	w.showDialog(d, nil)
}

// titleOf returns what a node of any level is called on its card.
func (w *Window) titleOf(path string) string {
	doc := w.board().Document()
	containers, id := fold.Split(path)
	if !slices.Equal(containers, doc.Path()) {
		return ""
	}
	if card, ok := doc.Card(id); ok {
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
