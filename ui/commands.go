package ui

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
)

// commandTable is every action of the window, in the order of the menus.
func (w *Window) commandTable() []command.Command {
	return slices.Concat(w.fileCommands(), w.editCommands(), w.nodeCommands(), w.arrangeCommands(), w.viewCommands(), w.runCommands(), w.helpCommands())
}

// When commands can be run.

func (w *Window) opened() bool { return w.desk != nil }

// changeable reports whether there is something that commands can change.
func (w *Window) changeable() bool { return w.desk != nil && w.past() == nil }

// picked reports whether nodes are selected that commands can change.
func (w *Window) picked() bool { return w.changeable() && len(w.desk.board.Selection.Set().Nodes) > 0 }

func (w *Window) several() bool {
	return w.changeable() && len(w.desk.board.Selection.Set().Nodes) > 1
}

func (w *Window) single() bool {
	if !w.changeable() {
		return false
	}
	_, ok := w.desk.board.Selection.Sole()
	return ok
}

func (w *Window) something() bool { return w.opened() && !w.board().Selection.Empty() }

func (w *Window) fileCommands() []command.Command {
	const menu = "File"
	return []command.Command{
		{ID: "file.new", Title: "New workflow", Menu: menu, Shortcut: command.MustParse("Ctrl+N"), Do: w.newWorkflow},
		{ID: "file.open", Title: "Open a file…", Menu: menu, Shortcut: command.MustParse("Ctrl+O"), Do: w.chooseFile},
		{ID: "file.stored", Title: "Open a stored workflow…", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+O"), Do: w.chooseStored},
		{ID: "file.start", Title: "Templates and recent workflows", Menu: menu, Do: func() { w.leaving(w.showStart) }},
		command.Separator(menu),
		{ID: "file.save", Title: "Save", Menu: menu, Shortcut: command.MustParse("Ctrl+S"), Enabled: w.changeable, Do: w.save},
		{ID: "file.save-as", Title: "Save as…", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+S"), Enabled: w.changeable, Do: func() { w.saveAs(nil) }},
		{ID: "file.curl", Title: "Copy as curl", Menu: menu, Enabled: w.opened, Do: w.copyCurl},
		command.Separator(menu),
		{ID: "place.choose", Title: "Where to work…", Menu: menu, Do: w.showPlaces},
		{ID: "place.connect", Title: "Connect to a server…", Menu: menu, Do: w.askServer},
		{ID: "place.forget", Title: "Forget this server…", Menu: menu, Enabled: func() bool { return w.place.URL != "" }, Do: w.forgetServer},
		{ID: "place.serve", Title: "Serve the workflows of this computer", Menu: menu, Checked: func() bool { return w.served != "" }, Do: w.serve},
		{ID: "place.accounts", Title: "Accounts…", Menu: menu, Do: func() { w.showAccounts("", nil) }},
		command.Separator(menu),
		{ID: "file.quit", Title: "Quit", Menu: menu, Shortcut: command.MustParse("Ctrl+Q"), Do: w.quit},
	}
}

func (w *Window) editCommands() []command.Command {
	const menu = "Edit"
	return []command.Command{
		{ID: "edit.undo", Title: "Undo", Menu: menu, Shortcut: command.MustParse("Ctrl+Z"), Enabled: func() bool { return w.changeable() && w.desk.doc.CanUndo() != "" }, Do: w.undo},
		{
			ID: "edit.redo", Title: "Redo", Menu: menu, Shortcut: command.MustParse("Ctrl+Y"), More: []command.Shortcut{command.MustParse("Ctrl+Shift+Z")},
			Enabled: func() bool { return w.changeable() && w.desk.doc.CanRedo() != "" }, Do: w.redo,
		},
		command.Separator(menu),
		{ID: "edit.cut", Title: "Cut", Menu: menu, Shortcut: command.MustParse("Ctrl+X"), Enabled: w.changeable, Do: w.cut},
		{ID: "edit.copy", Title: "Copy", Menu: menu, Shortcut: command.MustParse("Ctrl+C"), Enabled: w.opened, Do: w.copy},
		{ID: "edit.paste", Title: "Paste", Menu: menu, Shortcut: command.MustParse("Ctrl+V"), Enabled: w.changeable, Do: w.paste},
		{ID: "edit.duplicate", Title: "Duplicate", Menu: menu, Shortcut: command.MustParse("Ctrl+D"), Enabled: w.picked, Do: w.acting((*board.Board).Duplicate)},
		{ID: "edit.delete", Title: "Delete", Menu: menu, Shortcut: command.MustParse("Delete"), Enabled: func() bool { return w.changeable() && w.something() }, Do: w.acting((*board.Board).Delete)},
		{ID: "edit.delete-reconnect", Title: "Delete and reconnect", Menu: menu, Shortcut: command.MustParse("Ctrl+Delete"), Enabled: w.picked, Do: w.acting((*board.Board).DeleteReconnect)},
		command.Separator(menu),
		{ID: "edit.select-all", Title: "Select all", Menu: menu, Shortcut: command.MustParse("Ctrl+A"), Enabled: w.opened, Do: w.looking((*board.Board).SelectAll)},
		{ID: "edit.select-none", Title: "Select nothing", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+A"), Enabled: w.something, Do: w.looking(func(b *board.Board) { b.Selection.Clear() })},
		{ID: "edit.upstream", Title: "Select what leads here", Menu: menu, Shortcut: command.MustParse("Ctrl+["), Enabled: w.something, Do: w.looking((*board.Board).SelectUpstream)},
		{ID: "edit.downstream", Title: "Select what follows", Menu: menu, Shortcut: command.MustParse("Ctrl+]"), Enabled: w.something, Do: w.looking((*board.Board).SelectDownstream)},
		command.Separator(menu),
		{ID: "edit.rename", Title: "Edit the settings", Menu: menu, Shortcut: command.MustParse("F2"), Enabled: w.opened, Do: func() { w.edit("") }},
		{ID: "edit.disable", Title: "Disable or enable", Menu: menu, Shortcut: command.MustParse("Ctrl+M"), Enabled: w.picked, Do: w.acting((*board.Board).ToggleDisabled)},
	}
}

func (w *Window) nodeCommands() []command.Command {
	const menu = "Node"
	return slices.Concat([]command.Command{
		{ID: "node.add", Title: "Add a node…", Menu: menu, Shortcut: command.MustParse("Ctrl+I"), Enabled: w.changeable, Do: func() { w.pickNode(w.room()) }},
		{ID: "node.connect", Title: "Connect…", Menu: menu, Shortcut: command.MustParse("Ctrl+L"), Enabled: w.single, Do: w.connectByKeys},
		{ID: "node.replace", Title: "Replace by another type…", Menu: menu, Shortcut: command.MustParse("Ctrl+R"), Enabled: w.single, Do: w.replaceNode},
		{ID: "node.note", Title: "Add a note", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+N"), Enabled: w.changeable, Do: w.addNote},
		command.Separator(menu),
		{ID: "node.enter", Title: "Open the body", Menu: menu, Shortcut: command.MustParse("Alt+Down"), Enabled: w.hasBody, Do: w.enter},
		{ID: "node.leave", Title: "Leave the body", Menu: menu, Shortcut: command.MustParse("Alt+Up"), Enabled: w.inBody, Do: w.looking(func(b *board.Board) { b.Leave() })},
	}, w.collapseCommands(menu), []command.Command{
		{ID: "node.expand", Title: "Take the body out", Menu: menu, Enabled: w.hasBody, Do: w.acting((*board.Board).Expand)},
	})
}

// collapseCommands put the selection into a container, one for each type of them that
// this computer knows.
func (w *Window) collapseCommands(menu string) (all []command.Command) {
	for _, c := range w.specs.Containers() {
		all = append(all, command.Command{
			ID: collapseID(c), Title: lang.L("Put the selection into “{{.Label}}”", map[string]any{"Label": c.Label}), Menu: menu, Enabled: w.picked,
			Do: w.acting(func(b *board.Board) error { return b.Collapse(c.Type) }),
		})
	}
	return all
}

func collapseID(c *node.Spec) string { return "node.into." + c.Type }

func (w *Window) arrangeCommands() []command.Command {
	const menu = "Arrange"
	align := func(id, title, keys string, edge doc.Edge) command.Command {
		return command.Command{
			ID: "arrange." + id, Title: title, Menu: menu, Shortcut: command.MustParse(keys), Enabled: w.several,
			Do: w.acting(func(b *board.Board) error { return b.Document().Align(edge, b.Selection.Set().Nodes...) }),
		}
	}
	distribute := func(id, title, keys string, axis doc.Axis) command.Command {
		return command.Command{
			ID: "arrange." + id, Title: title, Menu: menu, Shortcut: command.MustParse(keys), Enabled: w.several,
			Do: w.acting(func(b *board.Board) error { return b.Document().Distribute(axis, b.Selection.Set().Nodes...) }),
		}
	}
	return []command.Command{
		{ID: "arrange.layout", Title: "Arrange automatically", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+L"), Enabled: w.changeable, Do: w.layout},
		command.Separator(menu),
		align("left", "Align left edges", "Alt+Shift+L", doc.AlignLeft),
		align("center", "Align centres", "Alt+Shift+C", doc.AlignCenter),
		align("right", "Align right edges", "Alt+Shift+R", doc.AlignRight),
		align("top", "Align top edges", "Alt+Shift+T", doc.AlignTop),
		align("middle", "Align middles", "Alt+Shift+M", doc.AlignMiddle),
		align("bottom", "Align bottom edges", "Alt+Shift+B", doc.AlignBottom),
		distribute("across", "Distribute across", "Alt+Shift+H", doc.Horizontal),
		distribute("down", "Distribute down", "Alt+Shift+V", doc.Vertical),
		command.Separator(menu),
		{ID: "arrange.group", Title: "Group", Menu: menu, Shortcut: command.MustParse("Ctrl+G"), Enabled: w.picked, Do: w.group},
		{ID: "arrange.ungroup", Title: "Ungroup", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+G"), Enabled: func() bool { return w.changeable() && w.something() }, Do: w.ungroup},
	}
}
