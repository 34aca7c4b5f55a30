package command

import (
	"errors"
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// Command is an action of the user. It needs an ID, a Title and Do.
type Command struct {
	// ID identifies the command in the program and in the user's settings, such as
	// "file.save". It must never change.
	ID string
	// Title is the English title; it is translated when it is shown.
	Title string
	// Values fill the placeholders of the title, such as {{.Label}}; nil if it has none.
	Values map[string]any
	// Menu is the English name of its menu; "View/Theme" is a submenu. A command without one
	// is only in the palette.
	Menu string
	// Shortcut is the default shortcut; zero is none.
	Shortcut Shortcut
	// More are further shortcuts, which the user cannot change. They are not shown.
	More []Shortcut
	// Enabled reports whether the command can run now. Nil means always.
	Enabled func() bool
	// Checked reports whether the menu shows a tick. Nil means never.
	Checked func() bool
	Do      func()
}

// Separator returns a line in a menu, at its position in the list.
func Separator(menu string) Command { return Command{Menu: menu} }

// title returns the translated title.
func (c *Command) title() string { return lang.L(c.Title, c.Values) }

func (c *Command) separates() bool { return c.ID == "" && c.Title == "" && c.Do == nil }

func (c *Command) enabled() bool { return c.Enabled == nil || c.Enabled() }

func (c *Command) checked() bool { return c.Checked != nil && c.Checked() }

// Set has all commands of a window. The zero value is not usable; see [New].
type Set struct {
	// OnRebind is called after the keys of commands have changed. It may be nil.
	OnRebind func()
	// OnMenu is called when the main menu must be rebuilt. If it is nil, the set shows the
	// menu itself.
	OnMenu func()

	commands []Command // in the order of the menu, with separators
	index    map[string]int
	recent   []string // IDs, last used first

	keymap Keymap
	chosen map[string]string   // the user's choices, as stored
	keys   map[string]Shortcut // the present shortcut of each command
	owner  map[Shortcut]string // the command of each shortcut

	menu       *mainMenu // nil until it is requested
	canvas     fyne.Canvas
	registered []fyne.Shortcut
	capture    func(Shortcut) // takes the next keys while it is set
}

// New returns a set of commands, in the order of the menus. keymap stores the keys that the
// user chose; nil stores none. The error lists all incomplete commands and all duplicate IDs
// and shortcuts.
func New(commands []Command, keymap Keymap) (*Set, error) {
	s := &Set{commands: slices.Clone(commands), index: map[string]int{}, keymap: keymap}
	if keymap != nil {
		s.chosen = keymap.Load()
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	s.settle()
	return s, nil
}

// check fills the index.
func (s *Set) check() error {
	var errs []error
	taken := map[Shortcut]string{}
	for i := range s.commands {
		c := &s.commands[i]
		if c.separates() {
			continue
		}
		if c.ID == "" || c.Title == "" || c.Do == nil {
			errs = append(errs, fmt.Errorf("command %q %q: needs an ID, a title and what to do", c.ID, c.Title))
		}
		if _, twice := s.index[c.ID]; twice {
			errs = append(errs, fmt.Errorf("command %q is there twice", c.ID))
		}
		s.index[c.ID] = i
		for _, k := range append([]Shortcut{c.Shortcut}, c.More...) {
			if other, clash := taken[k]; clash && k != (Shortcut{}) {
				errs = append(errs, fmt.Errorf("command %q: %s runs %q already", c.ID, k, other))
			}
			taken[k] = c.ID
		}
	}
	return errors.Join(errs...)
}

// Get returns a command as passed to New.
func (s *Set) Get(id string) (c Command, ok bool) {
	i, ok := s.index[id]
	if !ok {
		return Command{}, false
	}
	return s.commands[i], true
}

// Enabled reports whether a command can run now.
func (s *Set) Enabled(id string) bool {
	i, ok := s.index[id]
	return ok && s.commands[i].enabled()
}

// Run runs a command and reports whether it did: the ID must exist and the command be
// enabled.
func (s *Set) Run(id string) (ran bool) {
	if !s.Enabled(id) {
		return false
	}
	s.recent = slices.DeleteFunc(s.recent, func(other string) bool { return other == id })
	s.recent = slices.Insert(s.recent, 0, id)
	s.commands[s.index[id]].Do()
	return true
}
