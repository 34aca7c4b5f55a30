package command

import (
	"errors"
	"fmt"
	"iter"
	"maps"
)

// Keymap stores the keys that the user chose: the shortcut by ID of a command as
// [Shortcut.String] writes it, "" for none. Commands with their default are left out.
type Keymap interface {
	Load() map[string]string
	// Save replaces the whole map, which it may keep.
	Save(chosen map[string]string)
}

// TakenError reports that a shortcut belongs to another command.
type TakenError struct {
	Shortcut Shortcut
	By       Command
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("%s runs %q already", e.Shortcut, e.By.Title)
}

// ErrFixed reports that keys are reserved for the canvas and fields, such as arrows and Tab.
var ErrFixed = errors.New("these keys move and type; choose others")

// Keys returns the present shortcut of a command; zero if none.
func (s *Set) Keys(id string) Shortcut { return s.keys[id] }

// Changed reports whether the user chose the keys of a command.
func (s *Set) Changed(id string) bool {
	c, ok := s.Get(id)
	return ok && s.keys[id] != c.Shortcut
}

// Rebind sets the shortcut of a command; the zero Shortcut removes it. The error is a
// [*TakenError], [ErrFixed], or reports an unknown command; nothing changes then.
func (s *Set) Rebind(id string, keys Shortcut) error {
	c, ok := s.Get(id)
	if !ok {
		return fmt.Errorf("there is no command %q", id)
	}
	if keys == c.Shortcut {
		return s.Reset(id)
	}
	if keys.fixed() {
		return ErrFixed
	}
	if err := s.free(id, keys); err != nil {
		return err
	}
	s.choose(func(chosen map[string]string) { chosen[id] = keys.String() })
	return nil
}

// Reset restores the default shortcut of a command. The error is a [*TakenError] if it
// belongs to another command now.
func (s *Set) Reset(id string) error {
	c, ok := s.Get(id)
	if !ok {
		return fmt.Errorf("there is no command %q", id)
	}
	if err := s.free(id, c.Shortcut); err != nil {
		return err
	}
	s.choose(func(chosen map[string]string) { delete(chosen, id) })
	return nil
}

// ResetAll restores all default shortcuts.
func (s *Set) ResetAll() { s.choose(func(chosen map[string]string) { clear(chosen) }) }

// free returns an error if keys belong to another command than id.
func (s *Set) free(id string, keys Shortcut) error {
	if by, taken := s.owner[keys]; taken && by != id {
		c, _ := s.Get(by)
		return &TakenError{Shortcut: keys, By: c}
	}
	return nil
}

func (s *Set) choose(change func(chosen map[string]string)) {
	chosen := map[string]string{}
	maps.Copy(chosen, s.chosen)
	change(chosen)
	s.chosen = chosen
	if s.keymap != nil {
		s.keymap.Save(maps.Clone(chosen))
	}
	s.settle()
	s.register()
	s.Refresh()
	if s.OnRebind != nil {
		s.OnRebind()
	}
}

// settle assigns keys to commands. The user's choices win over defaults, which a newer
// program may have given to another command; between two equal ones, the first in the list
// wins.
func (s *Set) settle() {
	s.keys, s.owner = map[string]Shortcut{}, map[Shortcut]string{}
	claim := func(id string, k Shortcut) bool {
		if _, taken := s.owner[k]; taken || k == (Shortcut{}) {
			return false
		}
		s.owner[k] = id
		return true
	}
	settled := map[string]bool{}
	for id := range s.each() {
		k, ok := s.stored(id)
		if ok && (k == Shortcut{} || claim(id, k)) {
			s.keys[id], settled[id] = k, true
		}
	}
	for id, c := range s.each() {
		if !settled[id] && claim(id, c.Shortcut) {
			s.keys[id] = c.Shortcut
		}
	}
	for id, c := range s.each() {
		for _, k := range c.More {
			claim(id, k)
		}
	}
}

// stored returns the user's choice for a command, if it is valid.
func (s *Set) stored(id string) (k Shortcut, ok bool) {
	text, ok := s.chosen[id]
	if !ok {
		return Shortcut{}, false
	}
	k, err := Parse(text)
	return k, err == nil && !k.fixed()
}

// each yields the commands, without separators.
func (s *Set) each() iter.Seq2[string, *Command] {
	return func(yield func(string, *Command) bool) {
		for i := range s.commands {
			c := &s.commands[i]
			if !c.separates() && !yield(c.ID, c) {
				return
			}
		}
	}
}
