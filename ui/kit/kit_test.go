package kit_test

import (
	"image/color"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// box returns where an object is in its window and how large. The test driver's window
// has bars at its left and top, which it takes off.
func box(window fyne.Window, o fyne.CanvasObject) [4]float32 {
	bars, _ := window.Canvas().InteractiveArea()
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o).Add(bars)
	return [4]float32{at.X, at.Y, o.Size().Width, o.Size().Height}
}

// words returns the texts that are drawn in an object.
func words(o fyne.CanvasObject) (texts []string) {
	for _, text := range uitest.Seen[*canvas.Text](o) {
		if text.Text != "" {
			texts = append(texts, text.Text)
		}
	}
	return texts
}

func TestTextIsCutWhereThereIsNoRoom(t *testing.T) {
	test.NewTempApp(t)
	text := kit.NewText("A long line of text", kit.Style{Cut: true})
	text.Resize(fyne.NewSize(60, 20))
	got := words(text)[0]
	require.True(t, strings.HasSuffix(got, "…"), got)
	require.LessOrEqual(t, fyne.MeasureText(got, kit.Body, fyne.TextStyle{}).Width, float32(60))
	require.Zero(t, text.MinSize().Width)
	text.Resize(fyne.NewSize(400, 20))
	require.Equal(t, []string{"A long line of text"}, words(text))
}

func TestAParagraphWraps(t *testing.T) {
	tests := []struct {
		name, text string
		width      float32
		want       []string
	}{
		{"room", "one two", 200, []string{"one two"}},
		{"words", "one two three", 50, []string{"one two", "three"}},
		{"its own lines", "one\ntwo", 200, []string{"one", "two"}},
		{"a word without room", "abcdefghijklmnop", 60, []string{"abcdefgh", "ijklmnop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			uitest.App(t, theme.Dark)
			p := kit.NewParagraph(tt.text, kit.Style{})
			p.Resize(fyne.NewSize(tt.width, 100))
			require.Equal(t, tt.want, words(p))
			line := fyne.MeasureText("M", kit.Body, fyne.TextStyle{}).Height
			require.InDelta(t, line*float32(len(tt.want)), p.MinSize().Height, 0.01)
			require.InDelta(t, p.MinSize().Height, p.HeightAt(tt.width), 0.01)
		})
	}
}

func TestParagraphIsLimited(t *testing.T) {
	uitest.App(t, theme.Dark)
	p := kit.NewParagraph("one two three four five six seven", kit.Style{})
	p.Limit(2)
	p.Resize(fyne.NewSize(60, 100))
	require.Equal(t, []string{"one two", "three fo…"}, words(p))
}

func TestColorsFollowTheTheme(t *testing.T) {
	app := test.NewTempApp(t)
	text := kit.NewText("x", kit.Style{Ink: kit.Plain})
	test.NewTempWindow(t, text)
	for _, scheme := range []theme.Scheme{theme.Light, theme.HighContrast} {
		app.Settings().SetTheme(theme.New(scheme))
		text.Refresh()
		drawn := test.WidgetRenderer(text).Objects()[0].(*canvas.Text)
		require.Equal(t, color.Color(theme.Current().Text), drawn.Color)
	}
}

func TestAFieldShowsItsProblem(t *testing.T) {
	uitest.App(t, theme.Dark)
	field := kit.NewField("Name", "string", nil, "What it is for", widget.NewEntry())
	field.Object().Resize(fyne.NewSize(160, 400))
	before := field.Object().MinSize().Height
	field.SetError("This is a problem that takes some more lines to be told in full")
	require.Greater(t, field.Object().MinSize().Height, before)
	require.NotContains(t, words(field.Object()), "What it is for")
	field.SetError("")
	require.Contains(t, words(field.Object()), "What it is for")
	require.InDelta(t, before, field.Object().MinSize().Height, 0.01)
}

func TestIconButton(t *testing.T) {
	pressed := 0
	var button *kit.IconButton
	window := show(t, theme.Dark, func() fyne.CanvasObject {
		button = kit.NewIconButton(fynetheme.ContentAddIcon(), "Add", func() { pressed++ })
		return container.NewCenter(button)
	}, 100, 100)
	test.TapCanvas(window.Canvas(), fyne.NewPos(50, 50))
	require.Equal(t, 1, pressed)
	test.FocusNext(window.Canvas())
	require.Same(t, button, window.Canvas().Focused())
	button.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	require.Equal(t, 2, pressed)
	button.Disable()
	button.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	test.Tap(button)
	require.Equal(t, 2, pressed)
}

func TestTips(t *testing.T) {
	var button, low *kit.IconButton
	window := show(t, theme.Dark, func() fyne.CanvasObject {
		button = kit.NewIconButton(fynetheme.ContentAddIcon(), "Add a node", func() {})
		low = kit.NewIconButton(fynetheme.ContentAddIcon(), "At the edge", func() {})
		return kit.WithTips(container.NewBorder(container.NewHBox(button), container.NewHBox(low), nil, nil))
	}, 300, 200)
	seen := func(text string) bool { return strings.Contains(strings.Join(words(window.Content()), " "), text) }
	synctest.Test(t, func(t *testing.T) {
		// The timer runs on another goroutine here: nothing may read the widget while it can
		// fire.
		button.MouseIn(nil)
		wait(t, 400*time.Millisecond)
		button.MouseOut()
		require.False(t, seen("Add a node"), "too early")
		button.MouseIn(nil)
		wait(t, 600*time.Millisecond)
		require.True(t, seen("Add a node"))
		test.TapCanvas(window.Canvas(), fyne.NewPos(12, 12))
		require.False(t, seen("Add a node"), "pressing takes it away")

		button.MouseIn(nil)
		wait(t, 400*time.Millisecond)
		button.MouseOut()
		low.MouseIn(nil)
		wait(t, 600*time.Millisecond)
		require.False(t, seen("Add a node"), "the pointer had left")
		require.True(t, seen("At the edge"))
		low.MouseOut()
		require.False(t, seen("At the edge"))
	})
}

func TestTipsNeedTheirLayer(t *testing.T) {
	var button *kit.IconButton
	show(t, theme.Dark, func() fyne.CanvasObject {
		button = kit.NewIconButton(nil, "Add", nil)
		return button
	}, 100, 100)
	synctest.Test(t, func(t *testing.T) {
		button.MouseIn(nil)
		wait(t, time.Second)
		button.MouseOut()
	})
}

func TestTabs(t *testing.T) {
	first, second := widget.NewLabel("first"), widget.NewLabel("second")
	var tabs *kit.Tabs
	told := []int{}
	window := show(t, theme.Dark, func() fyne.CanvasObject {
		tabs = kit.NewTabs(nil, kit.Tab{Title: "One", Content: first}, kit.Tab{Title: "Two", Content: second})
		tabs.OnSelect = func(i int) { told = append(told, i) }
		return tabs.Object()
	}, 300, 200)
	require.True(t, first.Visible() && !second.Visible())
	test.TapCanvas(window.Canvas(), fyne.NewPos(80, 16))
	require.True(t, !first.Visible() && second.Visible())
	tabs.Select(1)
	tabs.Select(7)
	tabs.Select(-1)
	require.Equal(t, []int{1}, told)
	tabs.SetTitle(1, "Two 2")
	require.Contains(t, words(window.Content()), "Two 2")
}

func TestBadge(t *testing.T) {
	uitest.App(t, theme.Dark)
	badge := kit.NewBadge("1", kit.OK)
	narrow := badge.MinSize().Width
	badge.Set("a longer text", kit.Error)
	require.Greater(t, badge.MinSize().Width, narrow)
}

// A button inside a touch gets its own presses, and Tab reaches only the button.
func TestTouch(t *testing.T) {
	var did []string
	var inner *kit.IconButton
	window := show(t, theme.Dark, func() fyne.CanvasObject {
		inner = kit.NewIconButton(fynetheme.HelpIcon(), "", func() { did = append(did, "inner") })
		content := container.NewHBox(inner, kit.NewText("A long line of text", kit.Style{}))
		return container.NewVBox(kit.NewTouch(content, func() { did = append(did, "outer") }))
	}, 200, 100)
	at := box(window, inner)
	test.TapCanvas(window.Canvas(), fyne.NewPos(at[0]+5, at[1]+5))
	test.TapCanvas(window.Canvas(), fyne.NewPos(at[0]+60, at[1]+5))
	require.Equal(t, []string{"inner", "outer"}, did)
	window.Canvas().Unfocus()
	for range 2 {
		test.FocusNext(window.Canvas())
		require.Same(t, inner, window.Canvas().Focused())
	}
}
