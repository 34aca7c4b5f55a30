package commands

import (
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
)

func (t *table) viewCommands() []command.Command {
	const menu, themes = "View", "View/Theme"
	zoom := func(id, title, keys string, look func(*board.Board)) command.Command {
		return command.Command{ID: "view." + id, Title: title, Menu: menu, Shortcut: command.MustParse(keys), Enabled: t.opened, Do: t.look(look)}
	}
	more := func(c command.Command, keys string) command.Command {
		c.More = append(c.More, command.MustParse(keys))
		return c
	}
	scheme := func(name, title string) command.Command {
		return command.Command{
			ID: "theme." + name, Title: title, Menu: themes,
			Checked: func() bool { return t.Looks.Scheme() == name }, Do: func() { t.Looks.SetScheme(name) },
		}
	}
	step := func(notches float64) func(*board.Board) {
		return func(b *board.Board) { b.View.Wheel(notches, b.View.Middle()) }
	}
	return []command.Command{
		more(zoom("zoom-in", "Zoom in", "Ctrl+=", step(1)), "Ctrl++"),
		zoom("zoom-out", "Zoom out", "Ctrl+-", step(-1)),
		zoom("zoom-100", "Zoom to 100 %", "Ctrl+0", func(b *board.Board) { b.View.ZoomTo(1, b.View.Middle()) }),
		zoom("fit", "Show everything", "Ctrl+Shift+1", (*board.Board).FitAll),
		zoom("fit-selection", "Show the selection", "Ctrl+Shift+2", (*board.Board).FitSelection),
		command.Separator(menu),
		{ID: "view.left", Title: "Node types", Menu: menu, Shortcut: command.MustParse("Alt+1"), Checked: func() bool { return !t.Panels.Sides().LeftFolded }, Enabled: t.opened, Do: t.Panels.ToggleLeft},
		{ID: "view.right", Title: "Settings of the selection", Menu: menu, Shortcut: command.MustParse("Alt+2"), Checked: func() bool { return !t.Panels.Sides().RightFolded }, Enabled: t.opened, Do: t.Panels.ToggleRight},
		{ID: "view.bottom", Title: "Run panel", Menu: menu, Shortcut: command.MustParse("Alt+3"), Checked: func() bool { return !t.Panels.Sides().BottomFolded }, Enabled: t.opened, Do: t.Panels.ToggleBottom},
		{ID: "view.minimap", Title: "Map", Menu: menu, Shortcut: command.MustParse("Alt+4"), Checked: t.Looks.MapShown, Do: t.Looks.ToggleMap},
		command.Separator(menu),
		{ID: "view.outline", Title: "Outline", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+E"), Enabled: t.opened, Do: t.View.ShowOutline},
		{ID: "view.palette", Title: "Search the node types", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+F"), Do: t.View.SearchTypes},
		{ID: "view.canvas", Title: "Go to the canvas", Menu: menu, Shortcut: command.MustParse("F6"), More: []command.Shortcut{command.MustParse("Ctrl+Shift+C")}, Enabled: t.opened, Do: t.View.Back},
		{ID: "view.next-problem", Title: "Next problem", Menu: menu, Shortcut: command.MustParse("F8"), Enabled: t.opened, Do: func() { t.Edit.NextProblem(1) }},
		{ID: "view.previous-problem", Title: "Previous problem", Menu: menu, Shortcut: command.MustParse("Shift+F8"), Enabled: t.opened, Do: func() { t.Edit.NextProblem(-1) }},
		command.Separator(menu),
		scheme(SchemeSystem, "As the system"),
		scheme(SchemeLight, "Light"),
		scheme(SchemeDark, "Dark"),
		scheme(SchemeContrast, "High contrast"),
	}
}

func (t *table) runCommands() []command.Command {
	const menu = "Run"
	idle := func() bool { return t.changeable() && !t.Runs.Running() }
	return []command.Command{
		{ID: "run.start", Title: "Run", Menu: menu, Shortcut: command.MustParse("Ctrl+Return"), More: []command.Shortcut{command.MustParse("F5")}, Enabled: idle, Do: t.Runs.Start},
		{ID: "run.to", Title: "Run to here", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+Return"), Enabled: func() bool { return idle() && t.picked() && !t.Edit.InBody() }, Do: t.Runs.StartTo},
		{ID: "run.with", Title: "Run with an event…", Menu: menu, Shortcut: command.MustParse("Alt+F5"), Enabled: func() bool { return idle() && t.Runs.CanFire() }, Do: t.Runs.StartWith},
		{ID: "run.only", Title: "Run this node only", Menu: menu, Shortcut: command.MustParse("Shift+F5"), Enabled: func() bool { return idle() && t.single() && (t.Edit.InBody() || t.Runs.HasOutputs()) }, Do: t.Runs.StartOnly},
		{ID: "run.from", Title: "Run from here", Menu: menu, Shortcut: command.MustParse("Ctrl+F5"), Enabled: func() bool { return idle() && t.single() && !t.Edit.InBody() && t.Runs.HasOutputs() }, Do: t.Runs.StartFrom},
		{ID: "run.pin", Title: "Pin what came out", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+D"), Checked: t.Runs.Pinned, Enabled: t.Runs.CanPin, Do: t.Runs.TogglePin},
		{ID: "run.pin-write", Title: "Pin by hand…", Menu: menu, Enabled: t.Runs.CanWritePin, Do: t.Runs.WritePin},
		{ID: "run.step", Title: "Run the next node", Menu: menu, Shortcut: command.MustParse("F10"), Enabled: func() bool { return idle() || t.Runs.Waiting() }, Do: t.Runs.Step},
		{ID: "run.continue", Title: "Continue to the next stop", Menu: menu, Shortcut: command.MustParse("Shift+F10"), Enabled: t.Runs.Waiting, Do: t.Runs.Continue},
		{ID: "run.stop", Title: "Wait before this node", Menu: menu, Shortcut: command.MustParse("F9"), Checked: t.Runs.Stopped, Enabled: t.Runs.CanStop, Do: t.Runs.ToggleStop},
		{ID: "run.stop-errors", Title: "Wait where a node fails", Menu: menu, Shortcut: command.MustParse("Shift+F9"), Checked: t.Runs.StopsAtErrors, Enabled: t.opened, Do: t.Runs.ToggleStopAtErrors},
		{ID: "run.activation", Title: "Let the triggers fire by themselves…", Menu: menu, Enabled: t.Runs.CanActivate, Do: t.Runs.ShowActivation},
		{ID: "run.cancel", Title: "Cancel the run", Menu: menu, Shortcut: command.MustParse("Ctrl+."), Enabled: t.Runs.Running, Do: t.Runs.Cancel},
		command.Separator(menu),
		{ID: "run.inputs", Title: "Inputs of the run", Menu: menu, Enabled: t.opened, Do: t.Panels.ShowInputs},
		{ID: "run.timeline", Title: "Timeline", Menu: menu, Enabled: t.opened, Do: t.Panels.ShowTimeline},
		{ID: "run.output", Title: "Inputs and outputs of a node", Menu: menu, Enabled: t.opened, Do: t.Panels.ShowOutput},
		{ID: "run.history", Title: "Past runs", Menu: menu, Do: t.Panels.ShowRuns},
		{ID: "run.needs", Title: "Variables and accounts it needs…", Menu: menu, Enabled: t.opened, Do: t.Hosts.Needs},
		{ID: "run.save-test", Title: "Save the run as a test…", Menu: menu, Enabled: t.Runs.CanSaveTest, Do: t.Runs.SaveTest},
		{ID: "run.leave", Title: "Back to the draft", Menu: menu, Enabled: t.Runs.Past, Do: t.Runs.Leave},
	}
}

func (t *table) helpCommands() []command.Command {
	const menu = "Help"
	return []command.Command{
		{ID: "help.commands", Title: "Search nodes and commands", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+P"), Do: t.View.ShowCommands},
		{ID: "help.shortcuts", Title: "Keyboard shortcuts…", Menu: menu, Shortcut: command.MustParse("Ctrl+/"), Do: t.View.ShowShortcuts},
		{ID: "help.about", Title: "About Svc", Menu: menu, Do: t.View.ShowAbout},
	}
}
