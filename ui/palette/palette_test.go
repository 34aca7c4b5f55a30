package palette_test

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

func specs(t *testing.T) *doc.Specs {
	t.Helper()
	return uitest.Specs(uitest.Registry(t))
}

// fixture works with a palette in a window.
type fixture struct {
	*palette.Palette

	window fyne.Window
	told   []string
}

func show(t *testing.T, scheme theme.Scheme, c palette.Config) *fixture {
	t.Helper()
	uitest.App(t, scheme)
	h := &fixture{}
	c.Leave = func() { h.told = append(h.told, "leave") }
	c.Add = func(typ string) { h.told = append(h.told, "add "+typ) }
	c.Carry = func(typ string, at fyne.Position) {
		h.told = append(h.told, fmt.Sprint("carry ", typ, " ", at.X, ",", at.Y))
	}
	c.Drop = func(typ string, at fyne.Position) {
		h.told = append(h.told, fmt.Sprint("drop ", typ, " ", at.X, ",", at.Y))
	}
	h.Palette = palette.New(c)
	h.window = uitest.Window(t, h.Object(), 232, 700)
	return h
}

func (h *fixture) search(query string) {
	h.Focus(h.window.Canvas())
	test.Type(h.window.Canvas().Focused(), query)
}

// words returns the headings and labels that are seen, in order.
func (h *fixture) words() []string { return uitest.Texts(h.Object()) }

func TestTypesByCategory(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{Specs: specs(t)})
	words := h.words()
	require.Equal(t, "Microblog", words[0], "services come first")
	require.Contains(t, words, "Professional network")
	require.NotContains(t, words, "Used last")
	require.Empty(t, h.told)
}

func TestSearchAndAdd(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{Specs: specs(t)})
	h.search("pronet send")
	require.Equal(t, "Send a message", h.words()[0])
	uitest.Press(h.window, fyne.KeyEnter)
	require.Equal(t, []string{"add pronet.send_message"}, h.told)
	uitest.Press(h.window, fyne.KeyEscape)
	require.Equal(t, "Microblog", h.words()[0], "escape empties the field")
	uitest.Press(h.window, fyne.KeyEnter)
	require.Len(t, h.told, 1, "nothing is selected")
	uitest.Press(h.window, fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
	require.Len(t, h.told, 2)
	h.search("qqqqq")
	require.Contains(t, h.words(), "Nothing found")
	uitest.Press(h.window, fyne.KeyEnter, fyne.KeyEscape)
	require.Len(t, h.told, 2)
	uitest.Press(h.window, fyne.KeyEscape)
	require.Equal(t, "leave", h.told[2])
}

// place returns the row of a type.
func (h *fixture) place(t *testing.T, label string) fyne.CanvasObject {
	t.Helper()
	var row fyne.CanvasObject
	for _, o := range uitest.Seen[fyne.CanvasObject](h.Object()) {
		if d, ok := o.(fyne.Draggable); ok {
			row = d.(fyne.CanvasObject)
		}
		if m, ok := o.(*kit.Match); ok && m.Text() == label {
			return row
		}
	}
	require.Fail(t, "not seen: "+label)
	return nil
}

func TestMouse(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{Specs: specs(t)})
	h.search("pronet send")
	row := h.place(t, "Send a message")
	test.Tap(row.(fyne.Tappable))
	require.Empty(t, h.told, "a click selects")
	require.Contains(t, h.words(), "Sends a direct message to a connection.", "and says what the type is for")
	test.Tap(row.(fyne.Tappable))
	require.Equal(t, []string{"add pronet.send_message"}, h.told, "a double click adds")
	uitest.Press(h.window, fyne.KeyEscape)
	require.Equal(t, "leave", h.told[1], "the list has the focus")
	h.told = nil
	for _, at := range []fyne.Position{{X: 300, Y: 80}, {X: 400, Y: 90}} {
		row.(fyne.Draggable).Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: at}})
	}
	row.(fyne.Draggable).DragEnd()
	require.Equal(t, []string{"carry pronet.send_message 300,80", "carry pronet.send_message 400,90", "drop pronet.send_message 400,90"}, h.told)
}

func TestUsedLast(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{Specs: specs(t), Recent: []string{"text.join", "gone.type"}})
	require.Equal(t, []string{"Used last", "Join text", "Microblog"}, h.words()[:3])
	for _, typ := range []string{"a", "b", "text.format", "text.join", "c", "text.format"} {
		h.Used(typ)
	}
	require.Equal(t, []string{"text.format", "c", "text.join", "b", "a"}, h.Recent())
	require.Equal(t, []string{"Used last", "Join text", "Microblog"}, h.words()[:3], "rows stay while one works with them")
	h.Focus(h.window.Canvas())
	require.Equal(t, []string{"Used last", "Format text", "Join text", "Microblog"}, h.words()[:4])
}

func TestWithoutTypes(t *testing.T) {
	h := show(t, theme.Dark, palette.Config{})
	require.Contains(t, h.words(), "No nodes yet")
	h.SetSpecs(specs(t))
	require.NotContains(t, h.words(), "No nodes yet")
	require.Contains(t, h.words(), "Microblog")
	h.SetSpecs(doc.NewSpecs(nil, nil))
	require.Contains(t, h.words(), "Nothing found")
}

func TestChoices(t *testing.T) {
	test.NewTempApp(t)
	known := specs(t)
	var picked []doc.Choice
	found := known.Search("pronet send")
	found[0].Port = "message"
	choices := palette.Choices(found, func(c doc.Choice) { picked = append(picked, c) })
	require.Len(t, choices, len(found))
	first := choices[0]
	require.Equal(t, []string{"Send a message", "Professional network", "message"}, []string{first.Title, first.Detail, first.Trailing})
	require.Equal(t, "briefcase-ffffff.svg", first.Icon.Name())
	first.Pick()
	require.Equal(t, found[:1], picked)
	require.Nil(t, palette.Choices(known.Search("Format text"), nil)[0].Icon, "no circle, no icon")
}
