package command

import (
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// mainMenu is the menu of a window, with the item of each command.
type mainMenu struct {
	whole *fyne.MainMenu
	menus map[string]*fyne.Menu // by path
	items map[string]*fyne.MenuItem
	// unseen has the shortcuts that no item shows. It is the submenu of a separator: Fyne
	// looks for shortcuts there, but does not show it. Nil without a separator, or if the
	// system draws the menu.
	unseen *fyne.Menu
	ticks  map[*fyne.Menu]bool // whether one of its items has a tick
}

// MainMenu returns the menu of the window, always the same one. [Set.Refresh] keeps it up to
// date.
func (s *Set) MainMenu() *fyne.MainMenu {
	if s.menu == nil {
		s.menu = s.buildMenu()
		s.updateMenu()
	}
	return s.menu.whole
}

// Menu returns a menu of some commands in their present state, as for a context menu; "" is a
// separator. Unknown commands are left out.
func (s *Set) Menu(ids ...string) *fyne.Menu {
	m := fyne.NewMenu("")
	for _, id := range ids {
		if id == "" {
			m.Items = append(m.Items, fyne.NewMenuItemSeparator())
			continue
		}
		c, ok := s.Get(id)
		if !ok {
			continue
		}
		item := fyne.NewMenuItem(c.title(), func() { s.Run(id) })
		item.Disabled, item.Checked = !c.enabled(), c.checked()
		item.Shortcut = menuShortcut(s.keys[id])
		m.Items = append(m.Items, item)
	}
	return m
}

// Refresh updates the main menu. Call it when Enabled or Checked may have changed; it is
// cheap if they have not.
func (s *Set) Refresh() {
	switch {
	case s.menu == nil || !s.updateMenu():
	case s.OnMenu != nil:
		s.OnMenu()
	default:
		s.menu.whole.Refresh()
	}
}

func (s *Set) buildMenu() *mainMenu {
	m := &mainMenu{
		whole: fyne.NewMainMenu(),
		menus: map[string]*fyne.Menu{}, items: map[string]*fyne.MenuItem{}, ticks: map[*fyne.Menu]bool{},
	}
	for i := range s.commands {
		c := &s.commands[i]
		if c.Menu == "" {
			continue
		}
		item := fyne.NewMenuItemSeparator()
		switch {
		case !c.separates():
			item = fyne.NewMenuItem(c.title(), func() { s.choice(c.ID, s.keys[c.ID]) })
			m.items[c.ID] = item
		case m.unseen == nil && !Native():
			m.unseen = fyne.NewMenu("")
			item.ChildMenu = m.unseen
		}
		in := m.at(c.Menu)
		in.Items = append(in.Items, item)
	}
	return m
}

// at returns the menu of a path, creating it if necessary.
func (m *mainMenu) at(path string) *fyne.Menu {
	if there, ok := m.menus[path]; ok {
		return there
	}
	outer, title := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		outer, title = path[:i], path[i+1:]
	}
	made := fyne.NewMenu(lang.L(title))
	m.menus[path] = made
	if outer == "" {
		m.whole.Items = append(m.whole.Items, made)
		return made
	}
	in := m.at(outer)
	in.Items = append(in.Items, &fyne.MenuItem{Label: made.Label, ChildMenu: made})
	return made
}

// choice runs the command of an item of the main menu. Fyne calls it for the item's shortcut,
// too, even if an overlay is open.
func (s *Set) choice(id string, keys Shortcut) {
	switch {
	case s.capture != nil:
		s.capture(keys)
	case !s.covered():
		s.Run(id)
	}
}

// updateMenu updates the menu's items and reports whether the menu must be rebuilt: Fyne
// checks whether an item is disabled or ticked each time a menu opens, but computes the room
// for ticks and shortcuts only once.
func (s *Set) updateMenu() (rebuild bool) {
	for id, c := range s.each() {
		item, ok := s.menu.items[id]
		if !ok {
			continue
		}
		item.Disabled, item.Checked = !c.enabled(), c.checked()
		if k := menuShortcut(s.keys[id]); !same(item.Shortcut, k) {
			item.Shortcut, rebuild = k, true
		}
	}
	s.updateUnseen()
	for _, menu := range s.menu.menus {
		ticked := false
		for _, item := range menu.Items {
			ticked = ticked || item.Checked
		}
		if s.menu.ticks[menu] != ticked {
			s.menu.ticks[menu], rebuild = ticked, true
		}
	}
	return rebuild
}

func (s *Set) updateUnseen() {
	unseen := s.menu.unseen
	if unseen == nil {
		return
	}
	unseen.Items = unseen.Items[:0]
	for k, id := range s.owner {
		item, there := s.menu.items[id]
		if k.edits() || !k.held() || there && k == s.keys[id] && item.Shortcut != nil {
			continue
		}
		unseen.Items = append(unseen.Items, &fyne.MenuItem{Shortcut: k.Fyne(), Action: func() { s.choice(id, k) }})
	}
}

// Native reports whether the system draws the main menu: one for all windows.
func Native() bool { return runtime.GOOS == "darwin" }

func same(a, b fyne.Shortcut) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.ShortcutName() == b.ShortcutName()
}

// menuShortcut returns the shortcut of a menu item. Where the system draws the menu, as on
// macOS, it takes all keys that it shows; Fyne's own menu takes only those that Fyne knows by
// name.
func menuShortcut(k Shortcut) fyne.Shortcut {
	switch {
	case k == Shortcut{}:
		return nil
	case k.held() && !k.edits():
		return k.Fyne()
	case Native() && !k.function():
		return nil
	}
	return shown{k}
}

// shown is a shortcut that a menu shows but does not handle.
type shown struct{ k Shortcut }

func (s shown) ShortcutName() string  { return "shown:" + s.k.String() }
func (s shown) Key() fyne.KeyName     { return s.k.Key }
func (s shown) Mod() fyne.KeyModifier { return s.k.Mods.fyne() }
