package kit_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// numbers is a list of numbers in a window with room for ten rows.
type numbers struct {
	*kit.List

	window fyne.Window
	n      int
	made   int // rows
	told   []string
	drags  []fyne.Position
}

// newNumbers returns a list in which row 0 and every tenth one after it are headings.
func newNumbers(t *testing.T, n int) *numbers {
	t.Helper()
	l := &numbers{n: n}
	l.window = show(t, theme.Dark, func() fyne.CanvasObject {
		l.List = kit.NewList(kit.Rows{
			Len:  func() int { return l.n },
			Make: func() fyne.CanvasObject { l.made++; return kit.NewText("", kit.Style{}) },
			Fill: func(i int, row fyne.CanvasObject) {
				require.Less(t, i, l.n, "a row that is gone is shown")
				row.(*kit.Text).SetText(strconv.Itoa(i))
			},
			Inert:    func(i int) bool { return i%10 == 0 },
			Selected: func(i int) { l.told = append(l.told, "selected "+strconv.Itoa(i)) },
			Chosen:   func(i int) { l.told = append(l.told, "chosen "+strconv.Itoa(i)) },
			Dragged: func(i int, at fyne.Position) {
				l.told, l.drags = append(l.told, "dragged "+strconv.Itoa(i)), append(l.drags, at)
			},
			Dropped: func(i int, at fyne.Position) {
				l.told, l.drags = append(l.told, "dropped "+strconv.Itoa(i)), append(l.drags, at)
			},
		})
		return l.List
	}, 200, 10*kit.RowHeight)
	return l
}

// seen returns the numbers that are in sight.
func (l *numbers) seen() (texts []string) {
	return uitest.Texts(l.List)
}

func row(i int) fyne.Position { return fyne.NewPos(50, 4+kit.RowHeight*(float32(i)+0.5)) }

func TestAListMakesOnlyVisibleRows(t *testing.T) {
	l := newNumbers(t, 10_000)
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, l.seen())
	l.SetCurrent(5_003)
	require.Contains(t, l.seen(), "5003")
	l.SetCurrent(-1)
	test.Scroll(l.window.Canvas(), row(3), 0, -kit.RowHeight*40)
	require.LessOrEqual(t, len(l.seen()), 11)
	require.LessOrEqual(t, l.made, 12, "rows are used again")
	require.Empty(t, l.told)
}

func TestListByKeys(t *testing.T) {
	tests := []struct {
		name string
		keys []fyne.KeyName
		want int
	}{
		{"the focus goes to the first row", nil, 1},
		{"down", []fyne.KeyName{fyne.KeyDown}, 2},
		{"over a heading", []fyne.KeyName{fyne.KeyPageDown, fyne.KeyDown}, 12},
		{"up over a heading", []fyne.KeyName{fyne.KeyEnd, fyne.KeyHome, fyne.KeyUp}, 1},
		{"end", []fyne.KeyName{fyne.KeyEnd}, 99},
		{"end and a page up", []fyne.KeyName{fyne.KeyEnd, fyne.KeyPageUp}, 89},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := newNumbers(t, 100)
			l.window.Canvas().Focus(l.List)
			for _, key := range tt.keys {
				l.TypedKey(&fyne.KeyEvent{Name: key})
			}
			require.Equal(t, tt.want, l.Current())
			require.Contains(t, l.seen(), strconv.Itoa(tt.want), "it is in sight")
			l.told = nil
			l.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
			require.Equal(t, []string{"chosen " + strconv.Itoa(tt.want)}, l.told)
		})
	}
}

func TestListByMouse(t *testing.T) {
	l := newNumbers(t, 100)
	synctest.Test(t, func(t *testing.T) {
		on := l.window.Canvas()
		test.TapCanvas(on, row(0))
		require.Empty(t, l.told, "a heading")
		test.TapCanvas(on, row(3))
		require.Equal(t, []string{"selected 3"}, l.told, "at once")
		require.Same(t, l.List, on.Focused())
		test.TapCanvas(on, row(3))
		require.Equal(t, []string{"selected 3", "chosen 3"}, l.told, "a double click")
		test.TapCanvas(on, row(3))
		require.Equal(t, "selected 3", l.told[2], "a third click begins anew")
		wait(t, time.Second)
		test.TapCanvas(on, row(3))
		require.Equal(t, []string{"selected 3"}, l.told[3:], "too late for a double click")
	})
}

// wait advances the time.
func wait(t *testing.T, d time.Duration) {
	t.Helper()
	<-time.After(d)
	synctest.Wait()
}

func TestListDrag(t *testing.T) {
	l := newNumbers(t, 100)
	for _, o := range uitest.Seen[fyne.CanvasObject](l.List) {
		if r, ok := o.(fyne.Draggable); ok && o.Position() == (fyne.Position{X: 0, Y: 4 + 2*kit.RowHeight}) {
			r.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: fyne.NewPos(300, 40)}})
			l.n = 50 // the list changes while the row is held
			l.Update()
			r.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: fyne.NewPos(400, 50)}})
			r.DragEnd()
			r.DragEnd()
		}
	}
	require.Equal(t, []string{"dragged 2", "dragged 2", "dropped 2"}, l.told)
	require.Equal(t, []fyne.Position{{X: 300, Y: 40}, {X: 400, Y: 50}, {X: 400, Y: 50}}, l.drags)
}

func TestListForgetsRowsThatAreGone(t *testing.T) {
	l := newNumbers(t, 100)
	l.SetCurrent(42)
	l.n = 5
	l.Update()
	require.Equal(t, -1, l.Current())
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, l.seen())
	l.n = 0
	l.Update()
	require.Empty(t, l.seen())
	require.Zero(t, l.Height())
	l.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	l.TypedKey(&fyne.KeyEvent{Name: fyne.KeyPageDown})
	l.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnter})
	require.Empty(t, l.told)
}

// Rows may be removed before the list is updated: making the first match the current row
// scrolls, and Fyne scrolls at any time.
func TestAListMayScrollBeforeItsUpdate(t *testing.T) {
	l := newNumbers(t, 1_000)
	l.SetCurrent(999)
	l.n = 12
	l.SetCurrent(1)
	require.Equal(t, 1, l.Current())
	require.Contains(t, l.seen(), "1")
	l.n = 1_000
	l.SetCurrent(999)
	l.n = 0
	test.Scroll(l.window.Canvas(), row(3), 0, kit.RowHeight)
	l.Update()
	require.Equal(t, -1, l.Current())
}

func TestSearchLeadsTheList(t *testing.T) {
	l := newNumbers(t, 100)
	var asked []string
	search := kit.NewSearch("Find", l.List, func(query string) { asked = append(asked, query) })
	press := func(key fyne.KeyName) { search.TypedKey(&fyne.KeyEvent{Name: key}) }
	test.Type(search, "ab")
	press(fyne.KeyDown)
	press(fyne.KeyDown)
	press(fyne.KeyHome)
	press(fyne.KeyEnter)
	press(fyne.KeyEscape)
	require.Equal(t, []string{"selected 1", "selected 2", "chosen 2"}, l.told)
	require.Equal(t, []string{"a", "ab", ""}, asked, "escape empties the field")
	escaped := 0
	search.Escaped = func() { escaped++ }
	press(fyne.KeyEscape)
	require.Equal(t, 1, escaped)
}
