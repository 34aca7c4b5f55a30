package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// picking is a picker over 30 commands; every third one is disabled.
type picking struct {
	*kit.Picker

	window fyne.Window
	told   []string // what was picked, and that it closed
}

func newPicking(t *testing.T) *picking {
	t.Helper()
	p := &picking{}
	p.Picker = &kit.Picker{
		Search: func(query string) []kit.Choice {
			var found []kit.Choice
			for i := range 30 {
				title := fmt.Sprintf("command %02d", i)
				if strings.Contains(title, query) {
					found = append(found, kit.Choice{Title: title, Disabled: i%3 == 0, Pick: func() { p.told = append(p.told, title) }})
				}
			}
			return found
		},
		Closed: func() { p.told = append(p.told, "closed") },
	}
	p.window = show(t, theme.Dark, func() fyne.CanvasObject { return widget.NewEntry() }, 800, 600)
	p.window.Canvas().Focus(p.window.Content().(*widget.Entry))
	p.Show(p.window.Canvas())
	return p
}

func (p *picking) open() bool { return p.window.Canvas().Overlays().Top() != nil }

func TestPickerByKeys(t *testing.T) {
	tests := []struct {
		name string
		keys []fyne.KeyName
		want string
	}{
		{"the first that can be picked", nil, "command 01"},
		{"down skips what is disabled", []fyne.KeyName{fyne.KeyDown, fyne.KeyDown}, "command 04"},
		{"up", []fyne.KeyName{fyne.KeyDown, fyne.KeyDown, fyne.KeyUp}, "command 02"},
		{"up at the top", []fyne.KeyName{fyne.KeyUp}, "command 01"},
		{"tab is down", []fyne.KeyName{fyne.KeyTab}, "command 02"},
		{"a page", []fyne.KeyName{fyne.KeyPageDown}, "command 11"},
		{"a page there and back", []fyne.KeyName{fyne.KeyPageDown, fyne.KeyPageUp}, "command 01"},
		{"pages to the end", []fyne.KeyName{fyne.KeyPageDown, fyne.KeyPageDown, fyne.KeyPageDown, fyne.KeyPageDown, fyne.KeyDown}, "command 29"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPicking(t)
			uitest.Press(p.window, tt.keys...)
			require.Empty(t, p.told, "moving picks nothing")
			uitest.Press(p.window, fyne.KeyReturn)
			require.Equal(t, []string{"closed", tt.want}, p.told)
			require.False(t, p.open())
			require.Same(t, p.window.Content(), p.window.Canvas().Focused())
		})
	}
}

func TestPickerByTyping(t *testing.T) {
	p := newPicking(t)
	test.Type(p.window.Canvas().Focused(), "17")
	uitest.Press(p.window, fyne.KeyEnter)
	require.Equal(t, []string{"closed", "command 17"}, p.told)
}

func TestPickerWithoutMatch(t *testing.T) {
	p := newPicking(t)
	p.Empty = "Nothing found"
	test.Type(p.window.Canvas().Focused(), "x")
	uitest.Press(p.window, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyEnter)
	require.Empty(t, p.told)
	uitest.Press(p.window, fyne.KeyEscape)
	require.Equal(t, []string{"closed"}, p.told)
}

func TestPickerByMouse(t *testing.T) {
	const x = 300 // in the middle of the panel
	row := func(i int) fyne.Position { return fyne.NewPos(x, 56+8+33+4+4+28*float32(i)+14) }
	tests := []struct {
		name string
		at   fyne.Position
		want []string
		open bool
	}{
		{"a row", row(2), []string{"closed", "command 02"}, false},
		{"a disabled row", row(3), nil, true},
		{"the field", fyne.NewPos(x, 80), nil, true},
		{"the edge of the panel", fyne.NewPos(x, 58), nil, true},
		{"beside it", fyne.NewPos(40, 80), []string{"closed"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPicking(t)
			test.TapCanvas(p.window.Canvas(), tt.at)
			require.Equal(t, tt.want, p.told)
			require.Equal(t, tt.open, p.open())
		})
	}
}

func TestPickerPicksOnce(t *testing.T) {
	p := newPicking(t)
	field := p.window.Canvas().Focused()
	for range 2 {
		field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnter})
	}
	p.Close()
	require.Equal(t, []string{"closed", "command 01"}, p.told)
}

func TestPickerOpensAgain(t *testing.T) {
	p := newPicking(t)
	test.Type(p.window.Canvas().Focused(), "2")
	p.Show(p.window.Canvas())
	require.Len(t, p.window.Canvas().Overlays().List(), 1, "it was open")
	uitest.Press(p.window, fyne.KeyEscape)
	p.Show(p.window.Canvas())
	uitest.Press(p.window, fyne.KeyEnter)
	require.Equal(t, []string{"closed", "closed", "command 01"}, p.told, "what was typed is forgotten")
}

// A picker at the edge of a small window is moved and shrunk into it.
func TestPickerFitsIntoTheWindow(t *testing.T) {
	p := newPicking(t)
	p.Close()
	p.window.Resize(fyne.NewSize(300, 240))
	p.ShowAt(p.window.Canvas(), fyne.NewPos(290, 230))
	field := p.window.Canvas().Focused().(fyne.CanvasObject)
	require.Equal(t, [4]float32{16, 16, 300 - 2*16, field.MinSize().Height}, box(p.window, field))
}

func TestALargePickerSurvivesAQueryWithoutMatches(t *testing.T) {
	p := newPicking(t)
	test.MoveMouse(p.window.Canvas(), fyne.NewPos(400, 200)) // a row lights up
	field := p.window.Canvas().Focused().(*kit.Search)
	field.SetText("nothing is called like that") // as when it is pasted
	p.window.Canvas().Capture()
	field.SetText("")
	uitest.Press(p.window, fyne.KeyReturn)
	require.Equal(t, []string{"closed", "command 01"}, p.told)
}
