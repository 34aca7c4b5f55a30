package kit_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// selecting shows a field between two others, and notes what was chosen.
type selecting struct {
	window        fyne.Window
	before, after *kit.Entry
	field         *kit.Select
	chosen        []string
	left          int // how often the window got Escape
}

func newSelecting(t *testing.T) *selecting {
	t.Helper()
	uitest.App(t, theme.Dark)
	s := &selecting{before: kit.NewEntry(), after: kit.NewEntry()}
	s.field = kit.NewSelect([]string{"one", "two", "three"}, nil)
	s.field.SetSelected("two")
	s.field.OnChanged = func(text string) { s.chosen = append(s.chosen, text) }
	s.window = uitest.Window(t, container.NewVBox(s.before, s.field, s.after), 300, 400)
	s.window.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape {
			s.left++
		}
	})
	s.window.Canvas().Focus(s.field)
	return s
}

func (s *selecting) open() bool { return s.window.Canvas().Overlays().Top() != nil }

func TestAFieldOfChoicesKeepsNoKeysAndChangesNothingByMoving(t *testing.T) {
	s := newSelecting(t)
	uitest.Press(s.window, fyne.KeyLeft, fyne.KeyRight, fyne.KeyHome, fyne.KeyPageDown)
	require.False(t, s.open())
	require.Empty(t, s.chosen)
	uitest.Press(s.window, fyne.KeyEscape)
	require.Equal(t, 1, s.left, "the window is told")
	_, scrolls := any(s.field).(fyne.Scrollable)
	require.False(t, scrolls, "the wheel scrolls the panel")
	_, holdsTab := any(s.field).(fyne.Tabbable)
	require.False(t, holdsTab)

	for _, key := range []fyne.KeyName{fyne.KeyDown, fyne.KeyUp, fyne.KeySpace, fyne.KeyReturn} {
		uitest.Press(s.window, key)
		require.True(t, s.open(), "%s opens the list", key)
		uitest.Press(s.window, fyne.KeyDown, fyne.KeyUp, fyne.KeyUp)
		require.Empty(t, s.chosen, "a highlight moves")
		uitest.Press(s.window, fyne.KeyEscape)
		require.False(t, s.open())
		require.Same(t, s.field, s.window.Canvas().Focused())
	}
	require.Equal(t, "two", s.field.Selected)
	require.Equal(t, 1, s.left, "the list has taken Escape")

	uitest.Press(s.window, fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
	require.Equal(t, []string{"three"}, s.chosen)
	require.False(t, s.open())
}

func TestTabAndShortcutsGoThroughAnOpenListOfChoices(t *testing.T) {
	s := newSelecting(t)
	saved := 0
	save := &desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierControl}
	s.window.Canvas().AddShortcut(save, func(fyne.Shortcut) { saved++ })
	uitest.Press(s.window, fyne.KeyDown, fyne.KeyDown)
	s.window.Canvas().Focused().(fyne.Shortcutable).TypedShortcut(save)
	require.Equal(t, 1, saved)
	require.False(t, s.open())
	uitest.Press(s.window, fyne.KeyDown, fyne.KeyTab)
	require.False(t, s.open())
	require.Same(t, s.after, s.window.Canvas().Focused())
	require.Empty(t, s.chosen)
}

func TestAListOfChoicesIsClicked(t *testing.T) {
	s := newSelecting(t)
	on := s.window.Canvas()
	test.Tap(s.field)
	require.True(t, s.open())
	test.TapCanvas(on, fyne.NewPos(290, 390))
	require.False(t, s.open(), "a click beside it leaves")
	require.Empty(t, s.chosen)
	test.Tap(s.field)
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(s.field).AddXY(20, s.field.Size().Height+20)
	test.TapCanvas(on, at)
	require.Equal(t, []string{"one"}, s.chosen)
	require.False(t, s.open())
}
