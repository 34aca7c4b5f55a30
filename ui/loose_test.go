package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/uitest"
)

// dropOut drags a tab far out of its row and lets it go.
func (b *bench) dropOut(i int) {
	b.t.Helper()
	tab := b.tabAt(i).(fyne.Draggable)
	tab.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(20, 300)}})
	tab.DragEnd()
	b.settle()
}

// tabAt returns a tab of the row.
func (b *bench) tabAt(i int) fyne.CanvasObject {
	b.t.Helper()
	tabs := uitest.Seen[fyne.SecondaryTappable](b.views.strip.Object())
	require.Greater(b.t, len(tabs), i)
	return tabs[i].(fyne.CanvasObject)
}

// comeTo has the pointer come to a tab, right of its middle.
func (b *bench) comeTo(i int) {
	b.t.Helper()
	o := b.tabAt(i)
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	test.MoveMouse(b.win.Canvas(), at.AddXY(o.Size().Width-30, o.Size().Height/2))
	b.settle()
}

// menuCounter counts how often a window shows its main menu.
type menuCounter struct {
	fyne.Window

	shown int
}

func (m *menuCounter) SetMainMenu(menu *fyne.MainMenu) {
	m.shown++
	m.Window.SetMainMenu(menu)
}

// Where all windows share one menu bar, as on macOS, that is of the window with the keyboard.
func TestTheOneMenuBarIsThatOfTheWindowInUse(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		o := b.second()
		first, other := &menuCounter{Window: b.win}, &menuCounter{Window: o.win}
		b.win, o.win, b.windows.oneMenu = first, other, true
		require.Same(t, o.Window, b.windows.used)

		b.views.canvas.FocusGained() // as the window does when it gets the keyboard
		require.Equal(t, []int{1, 0}, []int{first.shown, other.shown})
		b.views.canvas.FocusGained()
		require.Equal(t, []int{1, 0}, []int{first.shown, other.shown})

		o.running.ToggleStopAtErrors() // its menu gets room for a tick
		require.Zero(t, other.shown, "events of the other window's run show nothing here")
		o.views.canvas.FocusGained()
		require.Equal(t, []int{1, 1}, []int{first.shown, other.shown})
		b.run("view.fit")
		require.Equal(t, 2, first.shown, "a command is of its window")
	})
}

func TestATabIsDroppedOnTheRowOfAnotherWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		b.named("C")
		b.dropOut(2)
		o := b.secondWindow()
		require.Equal(t, []string{"C"}, o.titles(), "there is no other window: it gets one")
		b.wait(2 * landing)
		require.Len(t, b.windows.all, 2)

		work := b.workspace.Sessions()[0]
		b.dropOut(0)
		require.Equal(t, []string{"A", "B"}, b.titles(), "nobody knows yet where it lies")
		o.comeTo(0)
		require.Equal(t, []string{"B"}, b.titles())
		require.Equal(t, []string{"C", "A"}, o.titles())
		require.Same(t, work, o.workspace.Active())
		o.comeTo(0)
		b.comeTo(0)
		b.wait(2 * landing)
		require.Equal(t, []string{"C", "A"}, o.titles(), "it was dropped once")

		o.dropOut(0)
		o.comeTo(1) // in its own row
		b.comeTo(0)
		require.Equal(t, []string{"B", "C"}, b.titles())
		o.dropOut(0)
		b.comeTo(0)
		require.Equal(t, []string{"B", "A", "C"}, b.titles(), "behind the tab that it was dropped on")
		require.True(t, o.hidden, "nothing is left in it")
	})
}

func TestATabThatIsDroppedOnNoRowGetsAWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		b.named("C")
		o := b.second()
		b.dropOut(0)
		b.wait(2 * landing)
		require.Len(t, b.windows.all, 3)
		o.comeTo(0)
		require.Equal(t, []string{"C"}, o.titles())
		require.Equal(t, []string{"B"}, b.titles())

		b.named("D")
		b.dropOut(0)
		b.run("tab.close")
		b.answer("Don't save")
		b.wait(2 * landing)
		o.comeTo(0)
		require.Equal(t, []string{"D"}, b.titles())
		require.Equal(t, []string{"C"}, o.titles(), "what is closed is dropped nowhere")
		require.Len(t, b.windows.all, 3)
	})
}
