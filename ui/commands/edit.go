package commands

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
)

func (t *table) editCommands() []command.Command {
	const menu = "Edit"
	return []command.Command{
		{ID: "edit.undo", Title: "Undo", Menu: menu, Shortcut: command.MustParse("Ctrl+Z"), Enabled: func() bool { return t.changeable() && t.board().Document().CanUndo() != "" }, Do: t.Edit.Undo},
		{
			ID: "edit.redo", Title: "Redo", Menu: menu, Shortcut: command.MustParse("Ctrl+Y"), More: []command.Shortcut{command.MustParse("Ctrl+Shift+Z")},
			Enabled: func() bool { return t.changeable() && t.board().Document().CanRedo() != "" }, Do: t.Edit.Redo,
		},
		command.Separator(menu),
		{ID: "edit.cut", Title: "Cut", Menu: menu, Shortcut: command.MustParse("Ctrl+X"), Enabled: t.changeable, Do: t.Edit.Cut},
		{ID: "edit.copy", Title: "Copy", Menu: menu, Shortcut: command.MustParse("Ctrl+C"), Enabled: t.opened, Do: t.Edit.Copy},
		{ID: "edit.paste", Title: "Paste", Menu: menu, Shortcut: command.MustParse("Ctrl+V"), Enabled: t.changeable, Do: t.Edit.Paste},
		{ID: "edit.duplicate", Title: "Duplicate", Menu: menu, Shortcut: command.MustParse("Ctrl+D"), Enabled: t.picked, Do: t.act((*board.Board).Duplicate)},
		{ID: "edit.delete", Title: "Delete", Menu: menu, Shortcut: command.MustParse("Delete"), Enabled: func() bool { return t.changeable() && t.something() }, Do: t.act((*board.Board).Delete)},
		{ID: "edit.delete-reconnect", Title: "Delete and reconnect", Menu: menu, Shortcut: command.MustParse("Ctrl+Delete"), Enabled: t.picked, Do: t.act((*board.Board).DeleteReconnect)},
		command.Separator(menu),
		{ID: "edit.select-all", Title: "Select all", Menu: menu, Shortcut: command.MustParse("Ctrl+A"), Enabled: t.opened, Do: t.look((*board.Board).SelectAll)},
		{ID: "edit.select-none", Title: "Select nothing", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+A"), Enabled: t.something, Do: t.look(func(b *board.Board) { b.Selection.Clear() })},
		{ID: "edit.upstream", Title: "Select what leads here", Menu: menu, Shortcut: command.MustParse("Ctrl+["), Enabled: t.something, Do: t.look((*board.Board).SelectUpstream)},
		{ID: "edit.downstream", Title: "Select what follows", Menu: menu, Shortcut: command.MustParse("Ctrl+]"), Enabled: t.something, Do: t.look((*board.Board).SelectDownstream)},
		command.Separator(menu),
		{ID: "edit.find", Title: "Find and replace…", Menu: menu, Shortcut: command.MustParse("Ctrl+F"), Enabled: t.opened, Do: t.View.Find},
		{ID: "edit.rename", Title: "Edit the settings", Menu: menu, Shortcut: command.MustParse("F2"), Enabled: t.opened, Do: func() { t.View.Edit("") }},
		{ID: "edit.disable", Title: "Disable or enable", Menu: menu, Shortcut: command.MustParse("Ctrl+M"), Enabled: t.picked, Do: t.act((*board.Board).ToggleDisabled)},
	}
}

func (t *table) nodeCommands() []command.Command {
	const menu = "Node"
	return slices.Concat([]command.Command{
		{ID: "node.add", Title: "Add a node…", Menu: menu, Shortcut: command.MustParse("Ctrl+I"), Enabled: t.changeable, Do: t.Edit.Pick},
		{ID: "node.connect", Title: "Connect…", Menu: menu, Shortcut: command.MustParse("Ctrl+L"), Enabled: t.single, Do: t.Edit.Connect},
		{ID: "node.replace", Title: "Replace by another type…", Menu: menu, Shortcut: command.MustParse("Ctrl+R"), Enabled: t.single, Do: t.Edit.Replace},
		{ID: "wire.point", Title: "Lead the wire over a point", Menu: menu, Enabled: t.wired, Do: t.act((*board.Board).AddMiddlePoint)},
		{ID: "wire.straighten", Title: "Take the points off the wire", Menu: menu, Enabled: t.led, Do: t.act((*board.Board).Straighten)},
		{ID: "node.note", Title: "Add a note", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+N"), Enabled: t.changeable, Do: t.Edit.Note},
		command.Separator(menu),
		{ID: "node.enter", Title: "Open the body", Menu: menu, Shortcut: command.MustParse("Alt+Down"), Enabled: t.Edit.HasBody, Do: t.Edit.Enter},
		{
			ID: "node.unfold", Title: "Unfold the body", Menu: menu, Shortcut: command.MustParse("Alt+Shift+Down"),
			Checked: t.Edit.Unfolded, Enabled: t.Edit.CanUnfold, Do: t.act((*board.Board).ToggleUnfolded),
		},
		{ID: "node.leave", Title: "Leave the body", Menu: menu, Shortcut: command.MustParse("Alt+Up"), Enabled: t.Edit.InBody, Do: t.look(func(b *board.Board) { b.Leave() })},
	}, t.collapseCommands(menu), []command.Command{
		{ID: "node.expand", Title: "Take the body out", Menu: menu, Enabled: t.Edit.HasBody, Do: t.act((*board.Board).Expand)},
	})
}

// collapseCommands collapse the selection into a container, one command for each type of
// container on this computer.
func (t *table) collapseCommands(menu string) (all []command.Command) {
	for _, c := range t.Containers {
		all = append(all, command.Command{
			ID: collapseID(c), Title: "Put the selection into “{{.Label}}”", Values: map[string]any{"Label": c.Label}, Menu: menu,
			Enabled: t.picked, Do: t.act(func(b *board.Board) error { return b.Collapse(c.Type) }),
		})
	}
	return all
}

func collapseID(c *node.Spec) string { return "node.into." + c.Type }

func (t *table) arrangeCommands() []command.Command {
	const menu = "Arrange"
	align := func(id, title, keys string, edge doc.Edge) command.Command {
		return command.Command{
			ID: "arrange." + id, Title: title, Menu: menu, Shortcut: command.MustParse(keys), Enabled: t.several,
			Do: t.act(func(b *board.Board) error { return b.Document().Align(edge, b.Selection.Set().Nodes...) }),
		}
	}
	distribute := func(id, title, keys string, axis doc.Axis) command.Command {
		return command.Command{
			ID: "arrange." + id, Title: title, Menu: menu, Shortcut: command.MustParse(keys), Enabled: t.several,
			Do: t.act(func(b *board.Board) error { return b.Document().Distribute(axis, b.Selection.Set().Nodes...) }),
		}
	}
	return []command.Command{
		{ID: "arrange.layout", Title: "Arrange automatically", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+L"), Enabled: t.changeable, Do: t.Edit.Arrange},
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
		{ID: "arrange.group", Title: "Group", Menu: menu, Shortcut: command.MustParse("Ctrl+G"), Enabled: t.picked, Do: t.Edit.Group},
		{ID: "arrange.ungroup", Title: "Ungroup", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+G"), Enabled: func() bool { return t.changeable() && t.something() }, Do: t.Edit.Ungroup},
	}
}
