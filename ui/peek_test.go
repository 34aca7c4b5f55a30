package ui

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest"
)

// splitting splits a text into a list.
const splitting = `{"id":"splitting","name":"Splitting","nodes":[` +
	`{"id":"in","type":"io.input","config":{"name":"text","type":"string","default":"one,two,three"},"position":{"x":0,"y":0}},` +
	`{"id":"split","type":"text.split","config":{"delimiter":","},"position":{"x":300,"y":0}},` +
	`{"id":"out","type":"io.output","config":{"name":"parts"},"position":{"x":700,"y":0}}],` +
	`"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"split","toPort":"text"},{"fromNodeId":"split","fromPort":"parts","toNodeId":"out","toPort":"value"}]}`

// drawn are the texts on the canvas.
func (b *bench) drawn() (texts []string) {
	for _, i := range b.board().Draw() {
		if i.Kind == scene.ItemText {
			texts = append(texts, i.Text)
		}
	}
	return texts
}

// hover moves the pointer to a point of the document.
func (b *bench) hover(at geom.Point) {
	on := b.board().View.ToScreen(at)
	b.views.canvas.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(float32(on.X), float32(on.Y))}})
}

func TestValuesAreShownUnderThePointer(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(splitting)
		b.board().View.ZoomTo(1, geom.Point{})
		wire := b.board().Scene().Wires[1]
		middle := wire.Way.Middle()
		b.hover(middle)
		require.NotContains(t, b.drawn(), `  "two",`, "nothing has run")

		b.run("run.start")
		b.wait(time.Second)
		b.hover(middle)
		require.Contains(t, b.drawn(), "3 items · 21 B")
		require.Contains(t, b.drawn(), `  "two",`)
		count := 0
		items := b.board().Draw()
		for i := range items {
			if items[i].Kind == scene.ItemText && items[i].Text == "3" {
				count = i
			}
		}
		last := 0
		for i := range items {
			if items[i].Kind == scene.ItemPort {
				last = i
			}
		}
		require.Greater(t, count, last, "how many there were lies on top of all cards")

		in, ok := b.board().Scene().Anchor(b.board().Scene().Cards[1].Ports[0].PortRef)
		require.True(t, ok)
		b.hover(in.At)
		require.Contains(t, b.drawn(), "one,two,three", "what came in")

		b.board().Selection.Replace(doc.Set{Wires: []workflow.Connection{wire.Connection}})
		b.views.Refresh()
		seen := strings.Join(uitest.Texts(b.views.inspector.Object()), "\n")
		require.Contains(t, seen, "3 items · 21 B")
		b.views.openValue("split", "parts")
		require.Equal(t, tabOutput, b.views.panels.bottom.Selected())
		require.Contains(t, b.shows(), "Split text")
		_, text := b.views.through("split", "parts")
		require.Equal(t, "[\n  \"one\",\n  \"two\",\n  \"three\"\n]", text())

		b.runs.Forget()
		b.views.Refresh()
		b.hover(middle)
		require.NotContains(t, b.drawn(), `  "two",`)
	})
}
