package ui

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

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

// inBody opens a template and goes into a body that its nodes are put into.
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

func TestTheStepsAboveTheCanvasAreThoseOfTheDocument(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.inBody()
		b.run("file.new")
		b.inBody() // on the same path of another document
		b.click(b.crumb("Greeting"))
		require.Empty(t, b.doc().Path())
	})
}
