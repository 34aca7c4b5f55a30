package command

import "fyne.io/fyne/v2"

// Install makes the keys of all commands work in a window, as far as Fyne passes them to it;
// see the package comment. The set belongs to that canvas from then on.
func (s *Set) Install(on fyne.Canvas) {
	s.canvas = on
	s.register()
	before := on.OnTypedKey()
	on.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if !s.HandleKey(e.Name, held()) && before != nil {
			before(e)
		}
	})
}

// Handle runs the command of a shortcut. It returns false if no command has it or the command
// is disabled.
func (s *Set) Handle(told fyne.Shortcut) bool {
	k, ok := Of(told)
	return ok && s.press(k)
}

// HandleKey runs the command of a key that the focused widget does not handle. It returns
// false if no command has it or the command is disabled.
func (s *Set) HandleKey(name fyne.KeyName, mods fyne.KeyModifier) bool {
	return s.press(Shortcut{Key: name, Mods: modsOf(mods)})
}

func (s *Set) press(k Shortcut) bool {
	id, ok := s.owner[k]
	return ok && !s.covered() && s.Run(id)
}

// covered reports whether an overlay takes the keys. An overlay that lets shortcuts pass,
// such as the open list of a field, is closed first.
func (s *Set) covered() bool {
	if s.canvas == nil {
		return false
	}
	if top, ok := s.canvas.Overlays().Top().(interface{ LetPass() }); ok {
		top.LetPass()
	}
	return s.canvas.Overlays().Top() != nil
}

// register registers the current shortcuts with the canvas.
func (s *Set) register() {
	if s.canvas == nil {
		return
	}
	for _, old := range s.registered {
		s.canvas.RemoveShortcut(old)
	}
	s.registered = nil
	for k := range s.owner {
		if told := k.Fyne(); told != nil {
			s.canvas.AddShortcut(told, func(fyne.Shortcut) { s.press(k) })
			s.registered = append(s.registered, told)
		}
	}
}

// held returns the modifiers that are held now: Fyne's key events lack them.
func held() fyne.KeyModifier {
	if d, ok := fyne.CurrentApp().Driver().(interface{ CurrentKeyModifiers() fyne.KeyModifier }); ok {
		return d.CurrentKeyModifiers()
	}
	return 0
}
