package ui

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// crumb returns the step of the path above the canvas that has a text.
func (b *bench) crumb(text string) *kit.Button {
	b.t.Helper()
	for _, step := range uitest.Seen[*kit.Button](b.views.stage.path) {
		if step.Text == text {
			return step
		}
	}
	require.Fail(b.t, "there is no such step", "%q", text)
	return nil
}

// click clicks in the middle of something, wherever that leads.
func (b *bench) click(o fyne.CanvasObject) {
	b.t.Helper()
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
	test.TapCanvas(b.win.Canvas(), at.AddXY(o.Size().Width/2, o.Size().Height/2))
	b.settle()
}

// inBody opens a template, moves its nodes into a body and enters that.
func (b *bench) inBody() {
	b.t.Helper()
	b.Open("template:greeting")
	b.settle()
	b.run("edit.select-all")
	b.run("node.into.control.foreach")
	b.run("node.enter")
	require.Len(b.t, b.doc().Path(), 1)
}

func TestTheStepsAboveTheCanvasLead(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.inBody()
		require.Contains(t, uitest.Texts(b.views.stage.path), "For each", "where one is, in words")
		b.click(b.crumb("Greeting"))
		require.Empty(t, b.doc().Path())

		b.run("node.enter")
		for range 5 {
			b.views.canvas.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 25)})
			b.settle()
		}
		b.run("view.zoom-out")
		b.click(b.crumb("Greeting"))
		require.Empty(t, b.doc().Path(), "also after a zoom")

		b.run("node.enter")
		require.NoError(t, b.doc().SetName("Renamed"))
		b.views.Refresh()
		b.click(b.crumb("Renamed"))
		require.Empty(t, b.doc().Path())
	})
}

// A body that is unfolded is entered by a click on what is in it; the steps above the canvas
// and Escape lead out of it.
func TestAnUnfoldedBodyIsEnteredByAClick(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.inBody()
		b.run("node.leave")
		b.run("node.unfold")
		require.True(t, b.board().Unfolded())
		b.board().FitAll()
		b.views.Refresh()
		container, _ := b.board().Selection.Sole()
		body, err := b.doc().At([]string{container})
		require.NoError(t, err)
		card, _ := b.doc().Card(container)
		inner := body.Cards()[0]
		at := card.BodyAt(body.Bounds()).Add(inner.Rect.Min).Add(geom.Point{X: 40, Y: 17})
		on := b.board().View.ToScreen(at) // the picture stays
		press := func() {
			e := &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(float32(on.X), float32(on.Y))}, Button: desktop.MouseButtonPrimary}
			b.views.canvas.MouseDown(e)
			b.views.canvas.MouseUp(e)
			b.settle()
		}
		press()
		require.Equal(t, []string{container}, b.doc().Path())
		require.Contains(t, uitest.Texts(b.views.stage.path), "For each")
		require.Equal(t, []string{inner.Node.ID}, b.board().Selection.Set().Nodes)
		b.click(b.crumb("Greeting"))
		require.Empty(t, b.doc().Path())
		require.Equal(t, []string{container}, b.board().Selection.Set().Nodes)
		b.wait(time.Second) // or else it is a double click
		press()
		b.views.canvas.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		require.Empty(t, b.board().Selection.Set().Nodes)
		b.views.canvas.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		require.Empty(t, b.doc().Path())
		b.run("node.unfold")
		require.False(t, b.board().Unfolded(), "the room is given back")
	})
}

func TestTheStepsAboveTheCanvasAreThoseOfTheDocument(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.inBody()
		b.run("file.new")
		b.inBody() // on the same path of another document
		b.click(b.crumb("Greeting"))
		require.Empty(t, b.doc().Path())
	})
}
