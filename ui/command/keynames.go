package command

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// modOf returns the modifier of a name, or 0.
func modOf(name string) Mods {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "ctrl", "control", "cmd", "command":
		return Ctrl
	case "shift":
		return Shift
	case "alt", "option":
		return Alt
	case "meta", "super", "win":
		return Meta
	}
	return 0
}

func modName(m Mods) string {
	switch m {
	case Ctrl:
		return "Ctrl"
	case Alt:
		return "Alt"
	case Meta:
		return "Meta"
	}
	return "Shift"
}

func modLabel(m Mods, mac bool) string {
	switch {
	case m == Ctrl && mac:
		return "Cmd"
	case m == Meta && mac:
		return "Ctrl"
	case m == Alt && mac:
		return "Option"
	case m == Meta:
		return "Super"
	}
	name := modName(m)
	return lang.X("key."+name, name)
}

// keyName is our name of a key of Fyne.
type keyName struct {
	text string
	name fyne.KeyName
}

// keys returns all keys that shortcuts can have.
func keys() []keyName {
	all := []keyName{
		{"Escape", fyne.KeyEscape},
		{"Enter", fyne.KeyReturn},
		{"KeypadEnter", fyne.KeyEnter},
		{"Tab", fyne.KeyTab},
		{"Space", fyne.KeySpace},
		{"Backspace", fyne.KeyBackspace},
		{"Insert", fyne.KeyInsert},
		{"Delete", fyne.KeyDelete},
		{"Home", fyne.KeyHome},
		{"End", fyne.KeyEnd},
		{"PageUp", fyne.KeyPageUp},
		{"PageDown", fyne.KeyPageDown},
		{"Left", fyne.KeyLeft},
		{"Right", fyne.KeyRight},
		{"Up", fyne.KeyUp},
		{"Down", fyne.KeyDown},
		{"F10", fyne.KeyF10},
		{"F11", fyne.KeyF11},
		{"F12", fyne.KeyF12},
	}
	for _, digit := range "123456789" {
		all = append(all, keyName{"F" + string(digit), fyne.KeyName("F" + string(digit))})
	}
	for _, letter := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',-./\\[];=*+`" {
		all = append(all, keyName{string(letter), fyne.KeyName(letter)})
	}
	return all
}
