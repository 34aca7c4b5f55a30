package ui

import (
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
)

func (w *Window) viewCommands() []command.Command {
	const menu, themes = "View", "View/Theme"
	zoom := func(id, title, keys string, look func(*board.Board)) command.Command {
		return command.Command{ID: "view." + id, Title: title, Menu: menu, Shortcut: command.MustParse(keys), Enabled: w.opened, Do: w.looking(look)}
	}
	more := func(c command.Command, keys string) command.Command {
		c.More = append(c.More, command.MustParse(keys))
		return c
	}
	scheme := func(name, title string) command.Command {
		return command.Command{
			ID: "theme." + name, Title: title, Menu: themes,
			Checked: func() bool { return w.settings.scheme() == name }, Do: func() { w.setScheme(name) },
		}
	}
	step := func(notches float64) func(*board.Board) {
		return func(b *board.Board) { b.View.Wheel(notches, b.View.Size.Scale(0.5)) }
	}
	return []command.Command{
		more(zoom("zoom-in", "Zoom in", "Ctrl+=", step(1)), "Ctrl++"),
		zoom("zoom-out", "Zoom out", "Ctrl+-", step(-1)),
		zoom("zoom-100", "Zoom to 100 %", "Ctrl+0", func(b *board.Board) { b.View.ZoomTo(1, b.View.Size.Scale(0.5)) }),
		zoom("fit", "Show everything", "Ctrl+1", (*board.Board).FitAll),
		zoom("fit-selection", "Show the selection", "Ctrl+2", (*board.Board).FitSelection),
		command.Separator(menu),
		{ID: "view.left", Title: "Node types", Menu: menu, Shortcut: command.MustParse("Alt+1"), Checked: func() bool { return !w.sides().LeftFolded }, Enabled: w.opened, Do: w.toggleLeft},
		{ID: "view.right", Title: "Settings of the selection", Menu: menu, Shortcut: command.MustParse("Alt+2"), Checked: func() bool { return !w.sides().RightFolded }, Enabled: w.opened, Do: w.toggleRight},
		{ID: "view.bottom", Title: "Run panel", Menu: menu, Shortcut: command.MustParse("Alt+3"), Checked: func() bool { return !w.sides().BottomFolded }, Enabled: w.opened, Do: w.toggleBottom},
		{ID: "view.minimap", Title: "Map", Menu: menu, Shortcut: command.MustParse("Alt+4"), Checked: func() bool { return w.minimap.Visible() }, Do: w.toggleMinimap},
		command.Separator(menu),
		{ID: "view.outline", Title: "Outline", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+E"), Enabled: w.opened, Do: w.showOutline},
		{ID: "view.palette", Title: "Search the node types", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+F"), Do: w.searchTypes},
		{ID: "view.canvas", Title: "Go to the canvas", Menu: menu, Shortcut: command.MustParse("F6"), More: []command.Shortcut{command.MustParse("Ctrl+Shift+C")}, Enabled: w.opened, Do: w.focusCanvas},
		{ID: "view.next-problem", Title: "Next problem", Menu: menu, Shortcut: command.MustParse("F8"), Enabled: w.opened, Do: func() { w.nextProblem(1) }},
		{ID: "view.previous-problem", Title: "Previous problem", Menu: menu, Shortcut: command.MustParse("Shift+F8"), Enabled: w.opened, Do: func() { w.nextProblem(-1) }},
		command.Separator(menu),
		scheme(schemeSystem, "As the system"),
		scheme(schemeLight, "Light"),
		scheme(schemeDark, "Dark"),
		scheme(schemeContrast, "High contrast"),
	}
}

func (w *Window) runCommands() []command.Command {
	const menu = "Run"
	idle := func() bool { return w.changeable() && !w.running() }
	return []command.Command{
		{ID: "run.start", Title: "Run", Menu: menu, Shortcut: command.MustParse("Ctrl+Return"), More: []command.Shortcut{command.MustParse("F5")}, Enabled: idle, Do: w.startRun},
		{ID: "run.to", Title: "Run to here", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+Return"), Enabled: func() bool { return idle() && w.picked() && !w.inBody() }, Do: w.startRunTo},
		{ID: "run.cancel", Title: "Cancel the run", Menu: menu, Shortcut: command.MustParse("Ctrl+."), Enabled: w.running, Do: w.cancelRun},
		command.Separator(menu),
		{ID: "run.inputs", Title: "Inputs of the run", Menu: menu, Enabled: w.opened, Do: func() { w.showSide(tabRun) }},
		{ID: "run.timeline", Title: "Timeline", Menu: menu, Enabled: w.opened, Do: func() { w.showBottom(tabTimeline) }},
		{ID: "run.output", Title: "Inputs and outputs of a node", Menu: menu, Enabled: w.opened, Do: func() { w.showBottom(tabOutput) }},
		{ID: "run.history", Title: "Past runs", Menu: menu, Do: func() { w.showBottom(tabRuns) }},
		{ID: "run.leave", Title: "Back to the draft", Menu: menu, Enabled: func() bool { return w.past() != nil }, Do: w.leavePast},
	}
}

func (w *Window) helpCommands() []command.Command {
	const menu = "Help"
	return []command.Command{
		{ID: "help.commands", Title: "Search nodes and commands", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+P"), Do: w.showCommands},
		{ID: "help.shortcuts", Title: "Keyboard shortcuts…", Menu: menu, Shortcut: command.MustParse("Ctrl+/"), Do: func() { w.commands.ShowShortcuts(w.win) }},
		{ID: "help.about", Title: "About Svc", Menu: menu, Do: w.showAbout},
	}
}
