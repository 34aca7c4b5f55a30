package command_test

import (
	"maps"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// memory is a keymap.
type memory struct{ chosen map[string]string }

func (m *memory) Load() map[string]string       { return maps.Clone(m.chosen) }
func (m *memory) Save(chosen map[string]string) { m.chosen = chosen }

// fixture has some commands and notes which of them were run.
type fixture struct {
	*command.Set

	ran    []string
	sealed bool // nothing can be saved
	grid   bool
	window fyne.Window
}

func (b *fixture) commands() []command.Command {
	do := func(id string) func() { return func() { b.ran = append(b.ran, id) } }
	keys := command.MustParse
	return []command.Command{
		{ID: "new", Title: "New workflow", Menu: "File", Shortcut: keys("Ctrl+N"), Do: do("new")},
		{ID: "save", Title: "Save", Menu: "File", Shortcut: keys("Ctrl+S"), Do: do("save"), Enabled: func() bool { return !b.sealed }},
		command.Separator("File"),
		{ID: "quit", Title: "Quit", Menu: "File", Shortcut: keys("Ctrl+Q"), Do: do("quit")},
		{ID: "undo", Title: "Undo", Menu: "Edit", Shortcut: keys("Ctrl+Z"), Do: do("undo")},
		{ID: "redo", Title: "Redo", Menu: "Edit", Shortcut: keys("Ctrl+Y"), More: []command.Shortcut{keys("Ctrl+Shift+Z")}, Do: do("redo")},
		{ID: "copy", Title: "Copy", Menu: "Edit", Shortcut: keys("Ctrl+C"), Do: do("copy")},
		{ID: "delete", Title: "Delete", Menu: "Edit", Shortcut: keys("Delete"), Do: do("delete")},
		{ID: "grid", Title: "Snap to grid", Menu: "View", Shortcut: keys("G"), Do: do("grid"), Checked: func() bool { return b.grid }},
		{ID: "dark", Title: "Dark", Menu: "View/Colours", Do: do("dark")},
		{ID: "light", Title: "Light", Menu: "View/Colours", Do: do("light")},
		{ID: "problem", Title: "Next problem", Menu: "Go", Shortcut: keys("F8"), Do: do("problem")},
		{ID: "back", Title: "Back", Menu: "Go", Shortcut: keys("Alt+Left"), Do: do("back")},
		{ID: "secret", Title: "Save a copy for support", Do: do("secret")},
		{ID: "canvas", Title: "Go to the canvas", Menu: "Go", Shortcut: keys("F6"), More: []command.Shortcut{keys("Ctrl+Shift+C")}, Do: do("canvas")},
	}
}

// newBench shows the commands' window with a text field in it.
func newBench(t *testing.T, keymap command.Keymap) (b *fixture, field *widget.Entry) {
	t.Helper()
	uitest.App(t, theme.Dark)
	b, field = &fixture{}, widget.NewEntry()
	set, err := command.New(b.commands(), keymap)
	require.NoError(t, err)
	b.Set = set
	b.window = test.NewTempWindow(t, container.NewVBox(field))
	b.window.Resize(fyne.NewSize(900, 700))
	b.window.SetMainMenu(set.MainMenu())
	set.Install(b.window.Canvas())
	return b, field
}

// dialog shows content over the window until Close is pressed.
func (b *fixture) dialog(_ string, content fyne.CanvasObject, size fyne.Size, closed func()) (hide func()) {
	var shown *widget.PopUp
	hide = func() {
		shown.Hide()
		closed()
	}
	shown = widget.NewModalPopUp(container.NewBorder(nil, kit.NewButton("Close", hide), nil, nil, content), b.window.Canvas())
	shown.Resize(size)
	shown.Show()
	return hide
}

// press does what the driver of a window does with keys.
func (b *fixture) press(keys string) {
	k := command.MustParse(keys)
	on := b.window.Canvas()
	if told := k.Fyne(); told != nil {
		if b.menuTakes(told, b.window.MainMenu().Items) {
			return
		}
		if focused, ok := on.Focused().(fyne.Shortcutable); ok {
			focused.TypedShortcut(told)
		} else {
			on.(fyne.Shortcutable).TypedShortcut(told)
		}
		return
	}
	event := &fyne.KeyEvent{Name: k.Key}
	if focused := on.Focused(); focused != nil {
		focused.TypedKey(event)
	} else {
		on.OnTypedKey()(event)
	}
}

func (b *fixture) menuTakes(told fyne.Shortcut, menus []*fyne.Menu) bool {
	for _, menu := range menus {
		for _, item := range menu.Items {
			if item.Shortcut != nil && item.Shortcut.ShortcutName() == told.ShortcutName() {
				item.Action()
				return true
			}
			if item.ChildMenu != nil && b.menuTakes(told, []*fyne.Menu{item.ChildMenu}) {
				return true
			}
		}
	}
	return false
}

// item returns an item of the main menu.
func (b *fixture) item(t *testing.T, menu, title string) *fyne.MenuItem {
	t.Helper()
	for _, m := range b.MainMenu().Items {
		for _, item := range m.Items {
			if m.Label == menu && item.Label == title {
				return item
			}
		}
	}
	require.Fail(t, "no such item", "%s / %s", menu, title)
	return nil
}
