package command_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

func TestPaletteByKeys(t *testing.T) {
	b, _ := newBench(t, nil)
	pick := func(typed string, keys ...string) {
		b.ShowPalette(b.window.Canvas(), nil)
		for _, letter := range typed {
			b.window.Canvas().Focused().TypedRune(letter)
		}
		for _, k := range keys {
			b.press(k)
		}
	}
	pick("nxprb", "Enter")
	require.Equal(t, []string{"problem"}, b.ran)
	pick("", "Enter")
	require.Equal(t, []string{"problem", "problem"}, b.ran, "what was run last is first")
	pick("save", "Down", "Enter")
	require.Equal(t, "secret", b.ran[2])
	pick("save", "Escape")
	require.Len(t, b.ran, 3)
	pick("colours li", "Enter")
	require.Equal(t, "light", b.ran[3], "the menu counts too")
	require.Nil(t, b.window.Canvas().Overlays().Top())
	b.sealed = true
	pick("save", "Enter")
	require.Equal(t, "secret", b.ran[4], "what cannot be run cannot be picked")
}

func TestPaletteOffersMore(t *testing.T) {
	b, _ := newBench(t, nil)
	asked := ""
	b.ShowPalette(b.window.Canvas(), func(query string) []kit.Choice {
		asked = query
		return []kit.Choice{{Title: "Send message", Detail: "Node", Pick: func() { b.ran = append(b.ran, "node") }}}
	})
	for _, letter := range "zz" {
		b.window.Canvas().Focused().TypedRune(letter)
	}
	b.press("Enter")
	require.Equal(t, "zz", asked)
	require.Equal(t, []string{"node"}, b.ran)
}

func TestThePaletteShowsDisabledCommandsLast(t *testing.T) {
	b, _ := newBench(t, nil)
	b.sealed = true
	b.ShowPalette(b.window.Canvas(), func(string) []kit.Choice { return []kit.Choice{{Title: "Send"}} })
	for _, letter := range "sav" {
		b.window.Canvas().Focused().TypedRune(letter)
	}
	var titles []string
	for _, title := range uitest.Seen[*kit.Match](b.window.Canvas().Overlays().Top()) {
		titles = append(titles, title.Text())
	}
	require.Equal(t, []string{"Save a copy for support", "Send", "Save"}, titles)
}

func TestShortcutsByKeys(t *testing.T) {
	kept := &memory{}
	b, _ := newBench(t, kept)
	b.ShowShortcuts(b.dialog)
	on := b.window.Canvas()
	typeIn := func(text string) {
		for _, letter := range text {
			on.Focused().TypedRune(letter)
		}
	}
	typeIn("sv")
	list := uitest.First[*kit.List](t, on.Overlays().Top())
	choose := func() {
		on.Focus(list)
		b.press("Space")
	}

	choose()
	b.press("Ctrl+N")
	require.Equal(t, "Ctrl+S", b.Keys("save").String(), "taken")
	require.Contains(t, uitest.Texts(on.Overlays().Top()), "Ctrl+N is the shortcut of “New workflow”.")
	b.press("Ctrl+Shift+S")
	require.Equal(t, "Ctrl+Shift+S", b.Keys("save").String())

	choose()
	b.press("Tab")
	require.Contains(t, uitest.Texts(on.Overlays().Top()), "Tab moves and types. Press other keys.")
	b.press("Escape")
	require.Equal(t, "Ctrl+Shift+S", b.Keys("save").String())

	choose()
	b.press("Backspace")
	require.Equal(t, "", b.Keys("save").String())
	require.Empty(t, b.ran)
	require.Equal(t, map[string]string{"save": ""}, kept.chosen)
}

func TestShortcutsTakeKeysAway(t *testing.T) {
	b, _ := newBench(t, nil)
	b.ShowShortcuts(b.dialog)
	top := b.window.Canvas().Overlays().Top()
	b.press("Down")
	b.press("Enter")
	b.press("Ctrl+N")
	test.Tap(button(t, top, "Use it here instead"))
	require.Equal(t, "Ctrl+N", b.Keys("save").String())
	require.Zero(t, b.Keys("new"))
	test.Tap(button(t, top, "Reset all"))
	require.Equal(t, "Ctrl+N", b.Keys("new").String())
	b.window.Canvas().Focus(uitest.First[*kit.List](t, top))
	b.press("Enter") // waits
	test.Tap(button(t, top, "Close"))
	b.press("Ctrl+N")
	require.Equal(t, []string{"new"}, b.ran)
}

func button(t *testing.T, in fyne.CanvasObject, title string) *kit.Button {
	t.Helper()
	for _, b := range uitest.Seen[*kit.Button](in) {
		if b.Text == title {
			return b
		}
	}
	require.Fail(t, "there is no such button", title)
	return nil
}
