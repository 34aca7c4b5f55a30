package canvas_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

func shown(t *testing.T) *driver { return show(t, theme.Light, document(t, fans), 840, 560) }

// term returns where the node of that name is.
func (h *driver) term(t *testing.T) geom.Point {
	t.Helper()
	n, ok := h.Board().Document().Node("term")
	require.True(t, ok)
	return geom.Point(*n.Position)
}

func TestDraggingANodeMovesIt(t *testing.T) {
	h := shown(t)
	from := h.middle(t, "term")
	h.drag(from, from.AddXY(48, 80))
	require.Equal(t, geom.Point{X: 48, Y: 144}, h.term(t))
	require.Equal(t, "Move", h.Board().Document().CanUndo(), "a drag is one step")
	_, ok := h.Board().Undo()
	require.True(t, ok)
	require.Empty(t, h.Board().Document().CanUndo())
	require.Positive(t, h.changes)
}

func TestDraggingShowsTheNodeOnItsWay(t *testing.T) {
	h := shown(t)
	from := h.middle(t, "send")
	before := h.window.Canvas().Capture()
	h.press(from, desktop.MouseButtonPrimary, 0)
	h.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: from.AddXY(-200, 120)}})
	during := h.window.Canvas().Capture()
	x, y := int(from.X), int(from.Y)-28
	require.NotEqual(t, before.At(x, y), during.At(x, y))
	require.Equal(t, before.At(x, y), during.At(x-200, y+120))
	h.DragEnd()
	require.False(t, h.Board().Busy())
}

func TestMiddleButtonPans(t *testing.T) {
	h := shown(t)
	before := h.Board().View
	h.press(fyne.NewPos(400, 20), desktop.MouseButtonTertiary, 0)
	h.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(430, 5)}})
	h.DragEnd()
	require.Equal(t, before.Pan.Add(geom.Point{X: 30, Y: -15}), h.Board().View.Pan)
	require.InDelta(t, before.Zoom, h.Board().View.Zoom, 0)
}

func TestSpaceBarPans(t *testing.T) {
	h := shown(t)
	before := h.Board().View.Pan
	at := h.middle(t, "term")
	h.KeyDown(&fyne.KeyEvent{Name: fyne.KeySpace})
	h.drag(at, at.AddXY(40, 12))
	h.KeyUp(&fyne.KeyEvent{Name: fyne.KeySpace})
	require.Equal(t, before.Add(geom.Point{X: 40, Y: 12}), h.Board().View.Pan)
	h.drag(at.AddXY(40, 12), at.AddXY(80, 12))
	require.Equal(t, geom.Point{X: 40, Y: 64}, h.term(t), "without the bar a drag moves the node")
}

// A wheel sends an event per frame, which must cost the window little.
func TestWheelTellsOfTheViewOnly(t *testing.T) {
	h := shown(t)
	turn := func() { h.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.Delta{DY: 10}}) }
	turn()
	require.Equal(t, 1, h.changes, "a scroll counts as a change without OnView")
	looks := 0
	h.OnView = func() { looks++ }
	turn()
	require.Equal(t, 1, looks)
	require.Equal(t, 1, h.changes)
}

func TestWheelZoomsAboutThePointer(t *testing.T) {
	h := shown(t)
	at := fyne.NewPos(300, 200)
	under := h.Board().View.ToDocument(geom.Point{X: 300, Y: 200})
	scroll := func(dy float32) {
		h.Scrolled(&fyne.ScrollEvent{PointEvent: fyne.PointEvent{Position: at}, Scrolled: fyne.Delta{DY: dy}})
	}
	scroll(25)
	require.InDelta(t, 1.15, h.Board().View.Zoom, 1e-9, "a notch is a notch, however far a system scrolls by it")
	scroll(25)
	still := h.Board().View.ToScreen(under)
	require.InDelta(t, 300, still.X, 1)
	require.InDelta(t, 200, still.Y, 1)
	scroll(-25)
	scroll(-10)
	require.InDelta(t, 1, h.Board().View.Zoom, 1e-9)
	scroll(1)
	require.Less(t, h.Board().View.Zoom, 1.02, "a touchpad zooms smoothly")
}

func TestMarqueeSelects(t *testing.T) {
	h := shown(t)
	h.drag(h.screen(geom.Point{X: -20, Y: 20}), h.screen(geom.Point{X: 100, Y: 300}))
	require.Equal(t, []string{"off", "term"}, h.Board().Selection.Set().Nodes)
}

func TestDraggingAWireConnects(t *testing.T) {
	h := shown(t)
	h.drag(h.port(t, "posts", "count", true), h.port(t, "send", "recipient_id", false))
	requests := h.requests
	require.Len(t, requests, 1, "an int is not a string: the window gets a request to say so")
	require.Equal(t, board.RequestTell, requests[0].Kind)

	h.drag(h.port(t, "term", "value", true), h.port(t, "send", "recipient_id", false))
	wires := h.Board().Document().Connections()
	last := wires[len(wires)-1]
	require.Equal(t, "term", last.FromNodeID)
	require.Equal(t, "send", last.ToNodeID)
}

func TestAWireDroppedOnEmptyCanvasOpensThePicker(t *testing.T) {
	h := shown(t)
	h.drag(h.port(t, "filter", "result", true), fyne.NewPos(800, 60))
	require.Len(t, h.requests, 1)
	require.Equal(t, board.RequestPick, h.requests[0].Kind)
	require.Equal(t, cards.PortRef{Node: "filter", Port: "result", Output: true}, h.requests[0].Port)
}

func TestADoubleClickIsTwoPressesAtOnePoint(t *testing.T) {
	h := shown(t)
	click := func(at fyne.Position) {
		h.press(at, desktop.MouseButtonPrimary, 0)
		h.MouseUp(mouse(at, desktop.MouseButtonPrimary, 0))
	}
	empty := fyne.NewPos(800, 60)
	click(empty)
	click(empty.AddXY(60, 0))
	require.Empty(t, h.requests, "two places are two clicks")
	click(empty.AddXY(60, 0))
	require.Len(t, h.requests, 1)
	require.Equal(t, board.RequestPalette, h.requests[0].Kind)
	click(empty.AddXY(60, 0))
	require.Len(t, h.requests, 1, "the third press is the first of another double click")
}

func TestSecondaryButtonAsksForTheMenu(t *testing.T) {
	h := shown(t)
	at := h.middle(t, "send")
	h.press(at, desktop.MouseButtonSecondary, 0)
	h.MouseUp(mouse(at, desktop.MouseButtonSecondary, 0))
	require.Len(t, h.requests, 1)
	require.Equal(t, board.RequestMenu, h.requests[0].Kind)
	require.Equal(t, "send", h.requests[0].Hit.ID)
}

func TestAnotherButtonDoesNotEndTheDrag(t *testing.T) {
	h := shown(t)
	from := h.middle(t, "term")
	h.press(from, desktop.MouseButtonPrimary, 0)
	h.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: from.AddXY(40, 0)}})
	h.MouseUp(mouse(from.AddXY(40, 0), desktop.MouseButtonSecondary, 0))
	require.True(t, h.Board().Busy())
	h.DragEnd()
	require.Equal(t, geom.Point{X: 40, Y: 64}, h.term(t))
}

func TestKeys(t *testing.T) {
	h := shown(t)
	h.window.Canvas().Focus(h.Canvas)
	key := func(name fyne.KeyName) { h.TypedKey(&fyne.KeyEvent{Name: name}) }
	h.Board().Show("term")
	key(fyne.KeyRight)
	id, _ := h.Board().Selection.Sole()
	require.Equal(t, "posts", id)
	key(fyne.KeyReturn)
	require.Equal(t, board.RequestOpen, h.requests[0].Kind)
	key(fyne.KeyDelete)
	_, there := h.Board().Document().Node("posts")
	require.False(t, there)

	var passed []fyne.Shortcut
	h.OnShortcut = func(s fyne.Shortcut) { passed = append(passed, s) }
	h.Board().Show("term")
	h.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyRight, Modifier: fyne.KeyModifierControl})
	require.Equal(t, geom.Point{X: 8, Y: 64}, h.term(t), "Ctrl and an arrow move the node")
	require.Empty(t, passed)
	h.TypedShortcut(&fyne.ShortcutUndo{})
	require.Equal(t, []fyne.Shortcut{&fyne.ShortcutUndo{}}, passed)

	var other []fyne.KeyName
	h.OnKey = func(name fyne.KeyName, _ fyne.KeyModifier) bool {
		other = append(other, name)
		return true
	}
	key(fyne.KeyF8)
	key(fyne.KeyRight)
	require.Equal(t, []fyne.KeyName{fyne.KeyF8}, other)
}

func TestPressTakesTheFocus(t *testing.T) {
	h := shown(t)
	h.press(fyne.NewPos(800, 60), desktop.MouseButtonPrimary, 0)
	require.Equal(t, fyne.Focusable(h.Canvas), h.window.Canvas().Focused())
}

func TestShiftAndCtrlAddToTheSelection(t *testing.T) {
	h := shown(t)
	click := func(id string, m fyne.KeyModifier) {
		h.press(h.middle(t, id), desktop.MouseButtonPrimary, m)
		h.MouseUp(mouse(h.middle(t, id), desktop.MouseButtonPrimary, m))
	}
	click("term", 0)
	click("thanks", fyne.KeyModifierShift)
	click("filter", fyne.KeyModifierControl)
	require.Equal(t, []string{"filter", "term", "thanks"}, h.Board().Selection.Set().Nodes)
	click("off", 0)
	require.Equal(t, []string{"off"}, h.Board().Selection.Set().Nodes)
}

func TestLeavingTheCanvasEndsHovering(t *testing.T) {
	h := shown(t)
	h.MouseIn(mouse(h.port(t, "filter", "result", true), 0, 0))
	require.Equal(t, scene.HitPort, h.Board().Hover().Kind)
	require.Equal(t, desktop.CrosshairCursor, h.Cursor())
	h.MouseOut()
	require.Equal(t, scene.HitNothing, h.Board().Hover().Kind)
	require.Equal(t, desktop.DefaultCursor, h.Cursor())
}

func TestResizingTheWidgetResizesTheView(t *testing.T) {
	h := shown(t)
	h.window.Resize(fyne.NewSize(500, 300))
	require.Equal(t, geom.Point{X: 500, Y: 300}, h.Board().View.Size)
	other := board.New(document(t, fans), 10, 10)
	h.SetBoard(other)
	require.Equal(t, geom.Point{X: 500, Y: 300}, other.View.Size)
}

// Fyne reports one movement twice while something is dragged.
func TestARepeatedMovementIsShownOnce(t *testing.T) {
	h := shown(t)
	from := h.middle(t, "term")
	h.press(from, desktop.MouseButtonPrimary, 0)
	h.changes = 0
	h.MouseMoved(mouse(from.AddXY(40, 0), desktop.MouseButtonPrimary, 0))
	h.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: from.AddXY(40, 0)}})
	require.Equal(t, 1, h.changes)
}
