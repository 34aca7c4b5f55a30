package ui

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/uitest"
)

// framed has a loop whose body is shown on its card.
const framed = `{"id":"framed","name":"Framed","nodes":[` +
	`{"id":"names","type":"io.input","config":{"name":"names","type":"list<string>"},"position":{"x":0,"y":0}},` +
	`{"id":"loop","type":"control.foreach","position":{"x":216,"y":0},"size":{"w":760,"h":400},"body":{"nodes":[` +
	`{"id":"item","type":"io.input","config":{"name":"item","type":"string"},"position":{"x":0,"y":0}},` +
	`{"id":"hello","type":"text.format","config":{"template":"Hello, {name}!"},"position":{"x":216,"y":0}},` +
	`{"id":"out","type":"io.output","config":{"name":"said"},"position":{"x":480,"y":0}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"hello","toPort":"name"},` +
	`{"fromNodeId":"hello","fromPort":"result","toNodeId":"out","toPort":"value"}]}}],` +
	`"connections":[{"fromNodeId":"names","fromPort":"value","toNodeId":"loop","toPort":"list"}]}`

// clickOn clicks on a text of the canvas.
func (b *bench) clickOn(text string) {
	b.t.Helper()
	for _, i := range b.board().Draw() {
		if i.Text == text {
			at := i.Box.Center()
			e := &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(float32(at.X), float32(at.Y))}, Button: desktop.MouseButtonPrimary}
			b.views.canvas.MouseMoved(e)
			b.views.canvas.MouseDown(e)
			b.views.canvas.MouseUp(e)
			b.settle()
			return
		}
	}
	require.Fail(b.t, "it is not drawn", "%q", text)
}

// Nodes in a frame are edited like all others: in the inspector, undone as one step, with
// breadcrumbs above the canvas, and F8 shows their problems.
func TestANodeInAFrameIsEditedInTheInspector(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(framed)
		template := func() any {
			body, err := b.doc().At([]string{"loop"})
			require.NoError(t, err)
			n, ok := body.Node("hello")
			require.True(t, ok)
			return n.Config["template"]
		}
		b.clickOn("Format text")
		require.Equal(t, []string{"loop"}, b.doc().Path())
		require.Equal(t, []string{"hello"}, b.board().Selection.Set().Nodes)
		require.Contains(t, uitest.Texts(b.views.stage.path), "For each")
		view := b.board().View
		b.views.Edit("template")
		b.settle()
		for _, letter := range "Hi " {
			test.Type(b.win.Canvas().Focused(), string(letter))
			b.settle()
		}
		require.Equal(t, "Hi Hello, {name}!", template(), "letter by letter, and none is lost")
		require.Equal(t, []string{"loop"}, b.doc().Path())
		require.Equal(t, view, b.board().View, "the picture stays")
		b.run("edit.undo")
		require.Equal(t, "Hello, {name}!", template(), "what is typed is one step")
		require.Equal(t, []string{"loop"}, b.doc().Path())
		require.False(t, b.doc().Edited())
		b.run("edit.redo")
		require.Equal(t, "Hi Hello, {name}!", template())

		b.views.Edit("template")
		b.settle()
		b.typeOver("Hi {")
		b.wait(3 * time.Second)
		b.click(b.crumb("Framed"))
		require.Empty(t, b.doc().Path())
		require.Equal(t, view.Zoom, b.board().View.Zoom)
		b.run("view.next-problem")
		require.Equal(t, []string{"loop"}, b.doc().Path())
		require.Equal(t, []string{"hello"}, b.board().Selection.Set().Nodes, "F8 leads into the frame")
	})
}
