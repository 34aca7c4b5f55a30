package commands

import (
	"strconv"

	"github.com/svcflow/svc/ui/command"
)

// Tabs are the tabs of the window.
type Tabs interface {
	Any() bool
	Several() bool // there is more than one
	Close()
	Step(by int) // to the next one, or with -1 to the previous one
	Go(to int)   // from 0
	Last()
	Move(by int) // moves the one in front
	CanWindow() bool
	Window()             // moves the tab in front to another window
	InOtherWindow() bool // this is not the first window
	Back()               // moves the one in front to the first window
}

func (t *table) tabCommands() []command.Command {
	const menu, all = "File", "View/Tabs"
	step := func(id, title, keys string, enabled func() bool, do func()) command.Command {
		return command.Command{ID: "tab." + id, Title: title, Menu: all, Shortcut: command.MustParse(keys), Enabled: enabled, Do: do}
	}
	moves := func() bool { return t.opened() && t.Tabs.Several() }
	list := []command.Command{
		{ID: "tab.close", Title: "Close the tab", Menu: menu, Shortcut: command.MustParse("Ctrl+W"), Enabled: t.Tabs.Any, Do: t.Tabs.Close},
		step("next", "Next tab", "Ctrl+Tab", t.Tabs.Several, func() { t.Tabs.Step(1) }),
		step("previous", "Previous tab", "Ctrl+Shift+Tab", t.Tabs.Several, func() { t.Tabs.Step(-1) }),
		step("right", "Move the tab to the right", "Ctrl+Shift+PageDown", moves, func() { t.Tabs.Move(1) }),
		step("left", "Move the tab to the left", "Ctrl+Shift+PageUp", moves, func() { t.Tabs.Move(-1) }),
		step("window", "Move the tab to a new window", "Alt+Shift+W", t.Tabs.CanWindow, t.Tabs.Window),
		step("back", "Move the tab back to the first window", "Alt+Shift+J", func() bool { return t.opened() && t.Tabs.InOtherWindow() }, t.Tabs.Back),
		command.Separator(all),
	}
	const numbered = 8 // the ninth key selects the last tab, as in browsers
	for i := range numbered {
		n := strconv.Itoa(i + 1)
		list = append(list, step(n, "Go to tab "+n, "Ctrl+"+n, t.Tabs.Any, func() { t.Tabs.Go(i) }))
	}
	return append(list, step("last", "Go to the last tab", "Ctrl+9", t.Tabs.Any, t.Tabs.Last))
}
