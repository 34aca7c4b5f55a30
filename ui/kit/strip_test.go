package kit_test

import (
	"fmt"
	"strconv"
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

// heads has a tab in each state.
func heads() []kit.Head {
	return []kit.Head{
		{Title: "Report for Ada"},
		{Title: "Nightly", State: kit.HeadRuns},
		{Title: "Checks", State: kit.HeadWaits, Edited: true},
		{Title: "A name that is so long that nobody would read it", State: kit.HeadDone},
		{Title: "Orders", State: kit.HeadFailed, Edited: true},
	}
}

// stripIn shows a row of tabs in a window, above something.
func stripIn(t *testing.T, scheme theme.Scheme, width float32) (*kit.Strip, fyne.Window) {
	t.Helper()
	uitest.App(t, scheme)
	s := kit.NewStrip("New tab", func() {})
	w := uitest.Window(t, container.NewBorder(s.Object(), nil, nil, nil, kit.NewText("below", kit.Style{})), width, 120)
	return s, w
}

// fill shows tabs, and gives the row its room as windows do.
func fill(s *kit.Strip, w fyne.Window, heads []kit.Head, shown int) {
	s.Update(heads, shown)
	w.Content().Refresh()
}

// press presses a button of the mouse where it is in the row.
func press(w fyne.Window, x float32, button desktop.MouseButton) {
	var found fyne.CanvasObject
	at := fyne.NewPos(0, 0)
	for _, o := range uitest.Seen[fyne.Draggable](w.Content()) {
		place := fyne.CurrentApp().Driver().AbsolutePositionForObject(o.(fyne.CanvasObject))
		if size := o.(fyne.CanvasObject).Size(); x >= place.X && x < place.X+size.Width {
			found, at = o.(fyne.CanvasObject), fyne.NewPos(x-place.X, size.Height/2)
		}
	}
	if found == nil {
		return
	}
	found.(desktop.Mouseable).MouseDown(&desktop.MouseEvent{Button: button, PointEvent: fyne.PointEvent{Position: at}})
	if button == desktop.MouseButtonPrimary {
		found.(fyne.Tappable).Tapped(&fyne.PointEvent{Position: at})
	}
}

func TestStripLooks(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			s, w := stripIn(t, scheme, 640)
			fill(s, w, heads(), 1)
			uitest.Golden(t, "strip-"+name, w.Canvas().Capture(), *update)
			bad, _ := uitest.Illegible(t, w.Canvas())
			require.Empty(t, bad)
		})
	}
}

func TestTabsAreLegibleAtEveryWidth(t *testing.T) {
	for _, width := range []float32{200, 480, 640, 2000} {
		s, w := stripIn(t, theme.Dark, width)
		require.False(t, s.Object().Visible(), "there is none")
		for shown := range heads() {
			s.Update(heads(), shown)
			require.True(t, s.Object().Visible())
			for _, text := range uitest.Covered(t, w.Content(), func(fyne.CanvasObject) bool { return false }) {
				require.Less(t, width, float32(640), text)
			}
			require.Contains(t, fmt.Sprint(uitest.Texts(w.Content())), heads()[shown].Title[:4])
		}
		s.Update(nil, -1)
		require.False(t, s.Object().Visible())
	}
}

func TestTabsAreChosenClosedAndMoved(t *testing.T) {
	s, w := stripIn(t, theme.Dark, 1000)
	var told []string
	s.OnSelect = func(i int) { told = append(told, "select "+strconv.Itoa(i)) }
	s.OnClose = func(i int) { told = append(told, "close "+strconv.Itoa(i)) }
	s.OnMove = func(from, to int) { told = append(told, "move "+strconv.Itoa(from)+" "+strconv.Itoa(to)) }
	fill(s, w, []kit.Head{{Title: "A"}, {Title: "B"}, {Title: "C"}}, 0) // each is 92 wide
	press(w, 100, desktop.MouseButtonPrimary)
	press(w, 180, desktop.MouseButtonPrimary)
	press(w, 20, desktop.MouseButtonTertiary)
	press(w, 20, desktop.MouseButtonSecondary)
	require.Equal(t, []string{"select 1", "close 1", "close 0"}, told)

	told = nil
	tabs := uitest.Seen[fyne.Draggable](w.Content())
	first := tabs[0].(fyne.CanvasObject)
	drag := func(x float32) {
		first.(fyne.Draggable).Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(x, 10)}})
	}
	drag(100)
	require.Empty(t, told, "it is not far enough")
	drag(150)
	drag(240)
	drag(240)
	drag(10)
	first.(fyne.Draggable).DragEnd()
	require.Equal(t, []string{"move 0 1", "move 1 2", "move 2 0"}, told)

	told = nil
	first.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	first.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	require.Equal(t, []string{"close 0", "select 0"}, told)
}

func TestATabIsDraggedOut(t *testing.T) {
	s, w := stripIn(t, theme.Dark, 1000)
	var told []string
	s.OnMove = func(from, to int) { told = append(told, "move "+strconv.Itoa(from)+" "+strconv.Itoa(to)) }
	fill(s, w, []kit.Head{{Title: "A"}, {Title: "B"}, {Title: "C"}}, 0) // each is 92 wide
	first := uitest.Seen[fyne.Draggable](w.Content())[0]
	drag := func(x, y float32) {
		first.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(x, y)}})
	}
	drag(20, 300)
	first.DragEnd()
	require.Empty(t, told, "nobody takes it")

	s.OnOut = func(i int) { told = append(told, "out "+strconv.Itoa(i)) }
	drag(150, 40)
	drag(240, 90)
	drag(150, 40)
	first.DragEnd()
	require.Equal(t, []string{"move 0 1"}, told, "it came back")
	drag(20, -60)
	first.DragEnd()
	drag(20, 10)
	first.DragEnd()
	require.Equal(t, []string{"move 0 1", "out 0"}, told)
	drag(-60, 10)
	first.DragEnd()
	drag(1060, 10)
	first.DragEnd()
	require.Equal(t, []string{"move 0 1", "out 0", "out 0", "out 0"}, told, "to the window beside this one")
}

func TestTheRowTellsWhereThePointerIs(t *testing.T) {
	s, w := stripIn(t, theme.Dark, 1000)
	fill(s, w, []kit.Head{{Title: "A"}, {Title: "B"}}, 0) // each is 92 wide
	test.MoveMouse(w.Canvas(), fyne.NewPos(10, 10))       // without callbacks
	var told []int
	s.OnOver = func(before int) { told = append(told, before) }
	for _, x := range []float32{20, 80, 100, 180, 500} {
		test.MoveMouse(w.Canvas(), fyne.NewPos(x, 10))
	}
	require.Equal(t, []int{0, 1, 1, 2, 2}, told)
	test.MoveMouse(w.Canvas(), fyne.NewPos(20, 100))
	require.Len(t, told, 5, "it is out of the row")
}

func TestATabHasAMenu(t *testing.T) {
	s, w := stripIn(t, theme.Dark, 1000)
	fill(s, w, []kit.Head{{Title: "A"}, {Title: "B"}}, 0)
	tabs := uitest.Seen[fyne.SecondaryTappable](w.Content())
	at := &fyne.PointEvent{AbsolutePosition: fyne.NewPos(120, 20)}
	tabs[1].TappedSecondary(at)
	asked := -1
	s.OnMenu = func(i int, where fyne.Position) {
		require.Equal(t, at.AbsolutePosition, where)
		asked = i
	}
	tabs[1].TappedSecondary(at)
	require.Equal(t, 1, asked)
}

func TestTheWheelScrollsTabs(t *testing.T) {
	s, w := stripIn(t, theme.Dark, 300)
	many := make([]kit.Head, 12)
	for i := range many {
		many[i].Title = "Tab " + strconv.Itoa(i)
	}
	fill(s, w, many, 0)
	first := uitest.Seen[fyne.Draggable](w.Content())[0].(fyne.CanvasObject)
	require.Zero(t, first.Position().X)
	first.(fyne.Scrollable).Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -40)})
	require.InDelta(t, -40, first.Position().X, 0.1)
	first.(fyne.Scrollable).Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 4000)})
	require.Zero(t, first.Position().X, "there is nothing before the first")
	s.Update(many, 11)
	last := uitest.Seen[fyne.Draggable](w.Content())
	end := last[len(last)-1].(fyne.CanvasObject)
	require.InDelta(t, 300-28, end.Position().X+end.Size().Width, 0.1, "the one that is shown is seen")
}
