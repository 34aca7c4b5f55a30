package command_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/command"
)

func TestShortcutsAreReadAndPrinted(t *testing.T) {
	const both = command.Ctrl | command.Shift
	for text, want := range map[string]command.Shortcut{
		"":               {},
		"F8":             {Key: fyne.KeyF8},
		"Shift+F12":      {Key: fyne.KeyF12, Mods: command.Shift},
		"H":              {Key: fyne.KeyH},
		"Ctrl+Shift+P":   {Key: fyne.KeyP, Mods: both},
		"Alt+Left":       {Key: fyne.KeyLeft, Mods: command.Alt},
		"Ctrl+=":         {Key: fyne.KeyEqual, Mods: command.Ctrl},
		"Ctrl++":         {Key: fyne.KeyPlus, Mods: command.Ctrl},
		"+":              {Key: fyne.KeyPlus},
		"Ctrl+-":         {Key: fyne.KeyMinus, Mods: command.Ctrl},
		"Ctrl+0":         {Key: fyne.Key0, Mods: command.Ctrl},
		"Delete":         {Key: fyne.KeyDelete},
		"Ctrl+Backspace": {Key: fyne.KeyBackspace, Mods: command.Ctrl},
		"Ctrl+Enter":     {Key: fyne.KeyReturn, Mods: command.Ctrl},
		"Meta+PageUp":    {Key: fyne.KeyPageUp, Mods: command.Meta},
	} {
		got, err := command.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		require.Equal(t, text, got.String())
	}
}

func TestShortcutsAreReadAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		" shift+CTRL+p ":    "Ctrl+Shift+P",
		"cmd+option+delete": "Ctrl+Alt+Delete",
		"Win+e":             "Meta+E",
		"Ctrl+Return":       "Ctrl+Enter",
	} {
		got, err := command.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got.String())
	}
}

func TestWrongShortcutsAreRefused(t *testing.T) {
	for _, text := range []string{"Ctrl+", "Ctrl", "Hyper+P", "Ctrl+Ctrl+P", "Ctrl+PP", "F13", "F0", "+P", "é"} {
		_, err := command.Parse(text)
		require.Error(t, err, text)
	}
	require.Panics(t, func() { command.MustParse("Ctrl+") })
}

// Shortcuts that Fyne reports equal those that were bound.
func TestShortcutsAndFyneAgree(t *testing.T) {
	for text, want := range map[string]fyne.Shortcut{
		"Ctrl+Z":       &fyne.ShortcutUndo{},
		"Ctrl+Y":       &fyne.ShortcutRedo{},
		"Ctrl+X":       &fyne.ShortcutCut{},
		"Ctrl+C":       &fyne.ShortcutCopy{},
		"Ctrl+V":       &fyne.ShortcutPaste{},
		"Ctrl+A":       &fyne.ShortcutSelectAll{},
		"Ctrl+Shift+Z": &desktop.CustomShortcut{KeyName: fyne.KeyZ, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift},
		"Alt+Left":     &desktop.CustomShortcut{KeyName: fyne.KeyLeft, Modifier: fyne.KeyModifierAlt},
	} {
		k := command.MustParse(text)
		require.Equal(t, want, k.Fyne(), text)
		back, ok := command.Of(want)
		require.True(t, ok)
		require.Equal(t, k, back, text)
	}
	for _, text := range []string{"F8", "Shift+F8", "H", ""} {
		require.Nil(t, command.MustParse(text).Fyne(), text)
	}
}

func TestMetaIsNotCtrl(t *testing.T) {
	told := command.MustParse("Meta+K").Fyne().(*desktop.CustomShortcut)
	require.NotEqual(t, fyne.KeyModifierShortcutDefault, told.Modifier)
	back, _ := command.Of(told)
	require.Equal(t, "Meta+K", back.String())
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "Ctrl+Shift+P", "F8", "alt+left", "Ctrl++", "+", "Ctrl+Ctrl+A", "meta+`", " Ctrl + P"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := command.Parse(text)
		if err != nil {
			require.Zero(t, k)
			return
		}
		again, err := command.Parse(k.String())
		require.NoError(t, err)
		require.Equal(t, k, again)
		if told := k.Fyne(); told != nil {
			back, ok := command.Of(told)
			require.True(t, ok)
			require.Equal(t, k, back)
		}
	})
}

func TestLabelsHaveTheNamesOfKeys(t *testing.T) {
	test.NewTempApp(t)
	require.Equal(t, "F8", command.MustParse("F8").Label())
	require.Contains(t, command.MustParse("Ctrl+Shift+P").Label(), "Shift+P")
	require.Empty(t, command.Shortcut{}.Label())
}
