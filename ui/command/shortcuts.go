package command

import (
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// ShowShortcuts opens the settings of shortcuts in a dialog, by show.
func (s *Set) ShowShortcuts(show func(title string, content fyne.CanvasObject, size fyne.Size, closed func()) (hide func())) {
	v := newShortcuts(s)
	show(lang.L("Keyboard shortcuts"), v.object(), fyne.NewSize(520, 560), v.stop)
	if on := fyne.CurrentApp().Driver().CanvasForObject(v.filter); on != nil {
		on.Focus(v.filter)
	}
}

// shortcuts is the settings page for the keys of commands: a list in which one command may
// wait for the next keys.
type shortcuts struct {
	set     *Set
	filter  *kit.Search
	list    *kit.List
	catcher *catcher
	message *kit.Text
	replace *kit.Button
	foot    *fyne.Container

	commands []hit
	waiting  string // the ID of the command that waits; "" if none does
}

func newShortcuts(s *Set) *shortcuts {
	v := &shortcuts{set: s, commands: find("", s.all()), catcher: newCatcher(), message: kit.NewText("", kit.Style{})}
	v.catcher.caught, v.catcher.cancel, v.catcher.lost = v.caught, v.cancel, v.stop
	v.list = kit.NewList(kit.Rows{
		Len:      func() int { return len(v.commands) },
		Make:     func() fyne.CanvasObject { return newShortcutRow() },
		Fill:     func(i int, row fyne.CanvasObject) { v.fill(row.(*shortcutRow), v.commands[i].Command) },
		Height:   func(int, float32) float32 { return shortcutRowHeight },
		Chosen:   func(i int) { v.wait(v.commands[i].ID) },
		OneClick: true,
	})
	v.filter = kit.NewSearch(lang.L("Search commands"), v.list, v.search)
	v.replace = kit.NewButton(lang.L("Use it here instead"), nil)
	v.replace.Importance = widget.HighImportance
	// Reserve the room for the button, so that the list does not move when it appears.
	v.foot = container.NewBorder(nil, nil, room(0, v.replace.MinSize().Height), v.replace, v.message)
	v.list.SetCurrent(0)
	v.hint()
	return v
}

func (v *shortcuts) object() fyne.CanvasObject {
	all := kit.NewButton(lang.L("Reset all"), func() {
		v.set.ResetAll()
		v.hint()
		v.list.Update()
	})
	top := container.NewBorder(nil, nil, nil, all, v.filter)
	return container.NewBorder(top, v.foot, nil, nil, container.NewStack(v.catcher, v.list))
}

func (v *shortcuts) search(query string) {
	v.commands = find(query, v.set.all())
	v.list.Update()
	v.list.SetCurrent(0)
}

func (v *shortcuts) fill(r *shortcutRow, c *Command) {
	keys, style := v.set.Keys(c.ID).Label(), kit.Style{Size: kit.Secondary, Mono: true}
	if c.ID == v.waiting {
		keys, style = lang.L("Press keys…"), kit.Style{Size: kit.Secondary, Ink: kit.Accent}
	}
	reset := func() { v.done(c.ID, v.set.Reset(c.ID), c.Shortcut) }
	if !v.set.Changed(c.ID) {
		reset = nil
	}
	r.set(c.title(), menuPath(c.Menu), keys, style, reset)
}

// wait assigns the next pressed keys to a command.
func (v *shortcuts) wait(id string) {
	v.set.capture, v.waiting = v.caught, id
	v.say(lang.L("Press the new keys. Backspace removes them, Escape keeps them."), kit.Dim)
	v.list.Update()
	if on := fyne.CurrentApp().Driver().CanvasForObject(v.catcher); on != nil {
		on.Focus(v.catcher)
	}
}

func (v *shortcuts) caught(k Shortcut) {
	if v.waiting != "" {
		v.done(v.waiting, v.set.Rebind(v.waiting, k), k)
	}
}

// done shows the result of assigning keys to a command. After an error, the command waits for
// other keys.
func (v *shortcuts) done(id string, err error, k Shortcut) {
	var taken *TakenError
	switch {
	case err == nil:
		v.hint()
		v.leave()
	case errors.As(err, &taken):
		v.say(lang.L("{{.Keys}} is the shortcut of “{{.Command}}”.", map[string]any{"Keys": k.Label(), "Command": taken.By.title()}), kit.Error)
		v.offer(id, taken)
	default:
		v.say(lang.L("{{.Keys}} moves and types. Press other keys.", map[string]any{"Keys": k.Label()}), kit.Error)
	}
	v.list.Update()
}

// offer offers to take keys from the command that has them.
func (v *shortcuts) offer(id string, taken *TakenError) {
	if v.set.Keys(taken.By.ID) != taken.Shortcut {
		return // they are in More, which is fixed
	}
	v.replace.OnTapped = func() {
		err := v.set.Rebind(taken.By.ID, Shortcut{})
		if err == nil {
			err = v.set.Rebind(id, taken.Shortcut)
		}
		v.done(id, err, taken.Shortcut)
	}
	v.replace.Show()
	v.foot.Refresh()
}

func (v *shortcuts) cancel() {
	v.hint()
	v.leave()
}

// leave focuses the list.
func (v *shortcuts) leave() {
	v.stop()
	if on := fyne.CurrentApp().Driver().CanvasForObject(v.list); on != nil {
		on.Focus(v.list)
	}
}

// stop no longer waits for keys. The last message stays.
func (v *shortcuts) stop() {
	v.set.capture, v.waiting = nil, ""
	v.list.Update()
}

func (v *shortcuts) hint() { v.say(lang.L("Choose a command to change its keys."), kit.Dim) }

func (v *shortcuts) say(text string, ink kit.ColorFunc) {
	v.replace.Hide()
	v.message.SetStyle(kit.Style{Size: kit.Secondary, Ink: ink, Cut: true})
	v.message.SetText(text)
	v.foot.Refresh()
}
