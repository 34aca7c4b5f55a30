package commands

import (
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
)

func (t *table) fileCommands() []command.Command {
	const menu = "File"
	return []command.Command{
		{ID: "file.new", Title: "New workflow", Menu: menu, Shortcut: command.MustParse("Ctrl+N"), Do: t.Files.New},
		{ID: "file.open", Title: "Open a file…", Menu: menu, Shortcut: command.MustParse("Ctrl+O"), Do: t.Files.ChooseFile},
		{ID: "file.stored", Title: "Open a stored workflow…", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+O"), Do: t.Files.ChooseStored},
		{ID: "file.start", Title: "Templates and recent workflows", Menu: menu, Shortcut: command.MustParse("Ctrl+T"), Do: t.Files.Start},
		command.Separator(menu),
		{ID: "file.save", Title: "Save", Menu: menu, Shortcut: command.MustParse("Ctrl+S"), Enabled: t.changeable, Do: t.Files.Save},
		{ID: "file.save-as", Title: "Save as…", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+S"), Enabled: t.changeable, Do: t.Files.SaveAs},
		{ID: "file.curl", Title: "Copy as curl", Menu: menu, Enabled: t.opened, Do: t.Files.CopyCurl},
		{ID: "file.export", Title: "Export a picture…", Menu: menu, Enabled: t.opened, Do: t.Files.Export},
		command.Separator(menu),
		{ID: "file.compare", Title: "Compare with what is saved", Menu: menu, Shortcut: command.MustParse("Ctrl+Shift+K"), Checked: t.Files.Comparing, Enabled: t.changeable, Do: t.Files.Compare},
		{ID: "file.revisions", Title: "Compare with a revision…", Menu: menu, Enabled: func() bool { return t.changeable() && t.Files.HasRevisions() }, Do: t.Files.Revisions},
		{ID: "file.take", Title: "Take over what it is compared with", Menu: menu, Enabled: func() bool { return t.changeable() && t.Files.Comparing() }, Do: t.act((*board.Board).Take)},
		command.Separator(menu),
		{ID: "place.choose", Title: "Where to work…", Menu: menu, Do: t.Hosts.Choose},
		{ID: "place.connect", Title: "Connect to a server…", Menu: menu, Do: t.Hosts.Ask},
		{ID: "place.forget", Title: "Forget this server…", Menu: menu, Enabled: t.Hosts.Away, Do: t.Hosts.Forget},
		{ID: "place.serve", Title: "Serve the workflows of this computer", Menu: menu, Checked: t.Hosts.Serving, Do: t.Hosts.Serve},
		{ID: "place.accounts", Title: "Accounts…", Menu: menu, Do: t.Hosts.Accounts},
		command.Separator(menu),
		{ID: "file.quit", Title: "Quit", Menu: menu, Shortcut: command.MustParse("Ctrl+Q"), Do: t.Files.Quit},
	}
}
