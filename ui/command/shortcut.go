package command

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
)

// Mods are modifier keys.
type Mods uint8

// The modifiers. Ctrl is Cmd on macOS, and Meta is Ctrl there; elsewhere Meta is the
// key with the logo.
const (
	Shift Mods = 1 << iota
	Ctrl
	Alt
	Meta
)

// Shortcut is a key with its modifiers. Shortcuts are comparable. The zero Shortcut is none.
type Shortcut struct {
	Key  fyne.KeyName
	Mods Mods
}

// Parse parses a shortcut such as "Ctrl+Shift+P", "F8", "Alt+Left" or "Ctrl++". Keys may also
// have Fyne's names, such as "Return". Case and the order of modifiers do not matter; "" is
// the zero Shortcut.
func Parse(text string) (Shortcut, error) {
	var s Shortcut
	rest := strings.TrimSpace(text)
	if rest == "" {
		return s, nil
	}
	for {
		name, after, found := strings.Cut(rest, "+")
		mod := modOf(name)
		if !found || mod == 0 {
			break
		}
		if s.Mods&mod != 0 {
			return Shortcut{}, fmt.Errorf("shortcut %q: %s is there twice", text, name)
		}
		s.Mods |= mod
		rest = after
	}
	for _, k := range keys() {
		if strings.EqualFold(k.text, rest) || strings.EqualFold(string(k.name), rest) {
			s.Key = k.name
			return s, nil
		}
	}
	return Shortcut{}, fmt.Errorf("shortcut %q: there is no key %q", text, rest)
}

// MustParse is [Parse] for constants of the program. It panics on an error.
func MustParse(text string) Shortcut {
	s, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// String returns the text for Parse, the same on all systems and in all languages.
func (s Shortcut) String() string {
	return s.join(modName, func(text string) string { return text })
}

// Label returns the text for users, in their language and with their system's names of the
// modifiers.
func (s Shortcut) Label() string {
	mac := runtime.GOOS == "darwin"
	return s.join(
		func(m Mods) string { return modLabel(m, mac) },
		func(text string) string {
			if len(text) == 1 || s.function() {
				return text
			}
			return lang.X("key."+text, text)
		},
	)
}

func (s Shortcut) join(mod func(Mods) string, key func(string) string) string {
	if s.Key == "" {
		return ""
	}
	var b strings.Builder
	for _, m := range []Mods{Ctrl, Meta, Alt, Shift} {
		if s.Mods&m != 0 {
			b.WriteString(mod(m) + "+")
		}
	}
	all := keys()
	if i := slices.IndexFunc(all, func(k keyName) bool { return k.name == s.Key }); i >= 0 {
		return b.String() + key(all[i].text)
	}
	return b.String() + string(s.Key)
}

// Fyne returns Fyne's form of the shortcut, or nil for a key that is no shortcut to Fyne:
// without any modifier but Shift.
func (s Shortcut) Fyne() fyne.Shortcut {
	if !s.held() {
		return nil
	}
	if s.Mods == Ctrl {
		switch s.Key {
		case fyne.KeyZ:
			return &fyne.ShortcutUndo{}
		case fyne.KeyY:
			return &fyne.ShortcutRedo{}
		case fyne.KeyX:
			return &fyne.ShortcutCut{}
		case fyne.KeyC:
			return &fyne.ShortcutCopy{}
		case fyne.KeyV:
			return &fyne.ShortcutPaste{}
		case fyne.KeyA:
			return &fyne.ShortcutSelectAll{}
		}
	}
	return &desktop.CustomShortcut{KeyName: s.Key, Modifier: s.Mods.fyne()}
}

// Of returns our form of a shortcut of Fyne. ok is false if no keys belong to it.
func Of(told fyne.Shortcut) (s Shortcut, ok bool) {
	k, ok := told.(fyne.KeyboardShortcut)
	if !ok || k.Key() == "" {
		return Shortcut{}, false
	}
	return Shortcut{Key: k.Key(), Mods: modsOf(k.Mod())}, true
}

// held reports whether it has a modifier that makes it a shortcut to Fyne.
func (s Shortcut) held() bool { return s.Key != "" && s.Mods&^Shift != 0 }

// edits reports whether text fields handle the shortcut. On macOS they use Alt instead of
// Ctrl, and Cmd as well.
func (s Shortcut) edits() bool {
	switch s.Key {
	case fyne.KeyZ: // with Shift it is redo in most programs
		return s.Mods&^Shift == Ctrl
	case fyne.KeyY, fyne.KeyX, fyne.KeyC, fyne.KeyV, fyne.KeyA:
		return s.Mods == Ctrl
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyBackspace, fyne.KeyDelete:
		m := s.Mods &^ Shift
		return m == Ctrl || m == Alt && runtime.GOOS == "darwin"
	}
	return false
}

// fixed reports whether the canvas and other widgets handle the keys themselves.
func (s Shortcut) fixed() bool {
	switch s.Key {
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyUp, fyne.KeyDown:
		return s.Mods&^(Shift|Ctrl) == 0
	case fyne.KeyTab, fyne.KeyEscape, fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		return s.Mods&^Shift == 0
	}
	return false
}

// function reports whether it is one of the keys F1 to F12.
func (s Shortcut) function() bool { return len(s.Key) > 1 && s.Key[0] == 'F' }

func (m Mods) fyne() (mods fyne.KeyModifier) {
	for _, p := range modPairs() {
		if m&p.mod != 0 {
			mods |= p.fyne
		}
	}
	return mods
}

func modsOf(mods fyne.KeyModifier) (m Mods) {
	for _, p := range modPairs() {
		if mods&p.fyne != 0 {
			m |= p.mod
		}
	}
	return m
}

type modPair struct {
	mod  Mods
	fyne fyne.KeyModifier
}

func modPairs() [4]modPair {
	// The one of the two that is not for shortcuts on this system.
	const other = (fyne.KeyModifierControl | fyne.KeyModifierSuper) &^ fyne.KeyModifierShortcutDefault
	return [4]modPair{
		{Shift, fyne.KeyModifierShift},
		{Ctrl, fyne.KeyModifierShortcutDefault},
		{Alt, fyne.KeyModifierAlt},
		{Meta, other},
	}
}
