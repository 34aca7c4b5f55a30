package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/command"
)

func TestNewReportsAllMistakesInTheList(t *testing.T) {
	nothing := func() {}
	_, err := command.New([]command.Command{
		{ID: "a", Title: "A", Shortcut: command.MustParse("Ctrl+K"), Do: nothing},
		{ID: "a", Title: "A again", Do: nothing},
		{ID: "b", Title: "B", More: []command.Shortcut{command.MustParse("ctrl+k")}, Do: nothing},
		{ID: "c", Do: nothing},
		{ID: "d", Title: "D"},
	}, nil)
	require.ErrorContains(t, err, `"a" is there twice`)
	require.ErrorContains(t, err, `"b": Ctrl+K runs "a" already`)
	require.ErrorContains(t, err, `"c"`)
	require.ErrorContains(t, err, `"d"`)
}

func TestRun(t *testing.T) {
	b, _ := newBench(t, nil)
	require.True(t, b.Run("save"))
	b.sealed = true
	require.False(t, b.Run("save"))
	require.False(t, b.Run("nothing"))
	require.Equal(t, []string{"save"}, b.ran)
}

func TestMenusAreInOrder(t *testing.T) {
	b, _ := newBench(t, nil)
	var got []string
	for _, menu := range b.MainMenu().Items {
		for _, item := range menu.Items {
			if item.IsSeparator {
				got = append(got, menu.Label+"/-")
				continue
			}
			label := item.Label
			got = append(got, menu.Label+"/"+label)
			if item.ChildMenu != nil {
				for _, inner := range item.ChildMenu.Items {
					got = append(got, menu.Label+"/"+label+"/"+inner.Label)
				}
			}
		}
	}
	require.Equal(t, []string{
		"File/New workflow", "File/Save", "File/-", "File/Quit",
		"Edit/Undo", "Edit/Redo", "Edit/Copy", "Edit/Delete",
		"View/Snap to grid", "View/Colours", "View/Colours/Dark", "View/Colours/Light",
		"Go/Next problem", "Go/Back", "Go/Go to the canvas",
	}, got)
}

func TestMenusShowWhichCommandsAreEnabled(t *testing.T) {
	b, _ := newBench(t, nil)
	b.sealed, b.grid = true, true
	b.Refresh()
	require.True(t, b.item(t, "File", "Save").Disabled)
	require.True(t, b.item(t, "View", "Snap to grid").Checked)
	require.False(t, b.item(t, "File", "New workflow").Disabled)
	b.sealed, b.grid = false, false
	b.Refresh()
	require.False(t, b.item(t, "File", "Save").Disabled)
	require.False(t, b.item(t, "View", "Snap to grid").Checked)
}

func TestAContextMenu(t *testing.T) {
	b, _ := newBench(t, nil)
	b.sealed = true
	m := b.Menu("save", "", "copy", "nothing")
	require.Len(t, m.Items, 3)
	require.True(t, m.Items[0].Disabled)
	require.True(t, m.Items[1].IsSeparator)
	m.Items[2].Action()
	require.Equal(t, []string{"copy"}, b.ran)
}

func TestKeysWorkWhereFyneTellsThem(t *testing.T) {
	all := []string{"Ctrl+S", "Ctrl+Z", "Ctrl+Shift+Z", "F8", "G", "Alt+Left", "Delete"}
	t.Run("nothing has the focus", func(t *testing.T) {
		b, _ := newBench(t, nil)
		for _, k := range all {
			b.press(k)
		}
		require.Equal(t, []string{"save", "undo", "redo", "problem", "grid", "back", "delete"}, b.ran)
	})
	t.Run("a field has the focus", func(t *testing.T) {
		b, field := newBench(t, nil)
		b.window.Canvas().Focus(field)
		for _, k := range all {
			b.press(k)
		}
		require.Equal(t, []string{"save", "back"}, b.ran, "keys that edit text are the field's")
		b.ran = nil
		require.NoError(t, b.Rebind("secret", command.MustParse("Ctrl+K"))) // is in no menu
		b.press("Ctrl+K")
		b.press("Ctrl+Shift+C")
		require.Equal(t, []string{"secret", "canvas"}, b.ran, "shortcuts that the menu does not show")
	})
	t.Run("a dialog is open", func(t *testing.T) {
		b, _ := newBench(t, nil)
		widget.NewModalPopUp(widget.NewLabel("?"), b.window.Canvas()).Show()
		for _, k := range all {
			b.press(k)
		}
		require.Empty(t, b.ran)
	})
}

func TestKeysThatAWidgetHandsOn(t *testing.T) {
	b, _ := newBench(t, nil)
	require.True(t, b.HandleKey(fyne.KeyG, 0))
	require.False(t, b.HandleKey(fyne.KeyG, fyne.KeyModifierShift))
	require.True(t, b.Handle(&fyne.ShortcutCopy{}))
	require.False(t, b.Handle(&fyne.ShortcutPaste{}))
	b.sealed = true
	require.False(t, b.Handle(command.MustParse("Ctrl+S").Fyne()))
	require.Equal(t, []string{"grid", "copy"}, b.ran)
}

// Fyne's menu takes all keys it has, also from a field that needs them.
func TestMenusShowKeysThatEditTextButDoNotTakeThem(t *testing.T) {
	b, _ := newBench(t, nil)
	undo := b.item(t, "Edit", "Undo").Shortcut
	require.NotEqual(t, (&fyne.ShortcutUndo{}).ShortcutName(), undo.ShortcutName())
	require.Equal(t, fyne.KeyZ, undo.(fyne.KeyboardShortcut).Key())
	require.Equal(t, command.MustParse("Ctrl+S").Fyne(), b.item(t, "File", "Save").Shortcut)
}
