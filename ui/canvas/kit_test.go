package canvas_test

import (
	"strconv"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// fans searches posts on one network and writes messages on another.
const fans = `{"id":"fans","nodes":[` +
	`{"id":"term","type":"io.input","config":{"name":"term","required":true,"type":"string"},"label":"Search term","position":{"x":0,"y":64}},` +
	`{"id":"posts","type":"microblog.search_tweets","config":{"credential":"microblog:bot"},"position":{"x":264,"y":72}},` +
	`{"id":"filter","type":"listops.filter","config":{"expression":"item.text != \"\""},"position":{"x":440,"y":48}},` +
	`{"id":"thanks","type":"text.format","config":{"template":"Thanks, {author}!"},"position":{"x":264,"y":240}},` +
	`{"id":"send","type":"pronet.send_message","position":{"x":672,"y":232}},` +
	`{"id":"off","type":"text.join","disabled":true,"position":{"x":0,"y":240}},` +
	`{"id":"what","type":"acme.unknown","position":{"x":0,"y":360}}],` +
	`"connections":[{"fromNodeId":"term","fromPort":"value","toNodeId":"posts","toPort":"query"},` +
	`{"fromNodeId":"posts","fromPort":"tweets","toNodeId":"filter","toPort":"list"},` +
	`{"fromNodeId":"thanks","fromPort":"result","toNodeId":"send","toPort":"message"}],` +
	`"groups":[{"id":"g","label":"Who wrote","nodeIds":["posts","filter"]}],` +
	`"notes":[{"id":"n","text":"Only those who wrote something","position":{"x":264,"y":400},"size":{"w":176,"h":64}}]}`

func document(t testing.TB, text string) *doc.Document {
	t.Helper()
	return doc.New(uitest.Definition(t, text), uitest.Specs(uitest.Registry(t)))
}

// driver sends events to a canvas as a window does.
type driver struct {
	*canvas.Canvas

	window   fyne.Window
	requests []board.Request
	changes  int
}

// show opens a document in a window of that size, at a zoom of 1.
func show(t testing.TB, scheme theme.Scheme, d *doc.Document, w, h float32) *driver {
	t.Helper()
	uitest.App(t, scheme)
	drawn := &driver{Canvas: canvas.New(board.New(d, float64(w), float64(h)))}
	drawn.Board().View.Begin(d.Bounds())
	drawn.OnRequest = func(r board.Request) { drawn.requests = append(drawn.requests, r) }
	drawn.OnChange = func() { drawn.changes++ }
	drawn.window = uitest.Window(t, drawn.Canvas, w, h)
	return drawn
}

func (h *driver) press(at fyne.Position, b desktop.MouseButton, m fyne.KeyModifier) {
	h.MouseMoved(mouse(at, 0, m))
	h.MouseDown(mouse(at, b, m))
}

// drag presses the primary button at one point and releases it at another. As in a window,
// each movement is reported twice, and so is the end.
func (h *driver) drag(from, to fyne.Position) {
	h.press(from, desktop.MouseButtonPrimary, 0)
	const steps = 4
	way := to.Subtract(from)
	for i := range steps {
		part := float32(i+1) / steps
		at := from.AddXY(way.X*part, way.Y*part)
		h.MouseMoved(mouse(at, desktop.MouseButtonPrimary, 0))
		h.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: at}})
	}
	h.MouseUp(mouse(to, desktop.MouseButtonPrimary, 0))
	h.DragEnd()
}

func mouse(at fyne.Position, b desktop.MouseButton, m fyne.KeyModifier) *desktop.MouseEvent {
	return &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at, AbsolutePosition: at}, Button: b, Modifier: m}
}

// middle returns where the middle of a node is on the screen.
func (h *driver) middle(t testing.TB, id string) fyne.Position {
	t.Helper()
	card, ok := h.Board().Document().Card(id)
	require.True(t, ok, id)
	return h.screen(card.Rect.Center())
}

// port returns where a port is on the screen.
func (h *driver) port(t testing.TB, id, name string, output bool) fyne.Position {
	t.Helper()
	a, ok := h.Board().Document().Anchor(cards.PortRef{Node: id, Port: name, Output: output})
	require.True(t, ok, id+"."+name)
	return h.screen(a.At)
}

func (h *driver) screen(p geom.Point) fyne.Position {
	at := h.Board().View.ToScreen(p)
	return fyne.NewPos(float32(at.X), float32(at.Y))
}

// lattice is a document of n nodes in rows of 40, with about two wires for each.
func lattice(t testing.TB, n int) *doc.Document {
	t.Helper()
	const perRow = 40
	def := &workflow.Definition{ID: "lattice"}
	name := func(i int) string { return "n" + strconv.Itoa(i) }
	for i := range n {
		typ := "text.join"
		if i%5 == 4 {
			typ = "pronet.send_message"
		}
		at := &workflow.Position{X: float64(i%perRow) * 240, Y: float64(i/perRow) * 140}
		def.Nodes = append(def.Nodes, workflow.Node{ID: name(i), Type: typ, Position: at})
		for _, before := range []int{i - 1, i - perRow} {
			if before >= 0 && before%5 != 4 && i%5 != 4 {
				def.Connections = append(def.Connections, workflow.Connection{
					FromNodeID: name(before), FromPort: "text", ToNodeID: name(i), ToPort: "parts",
				})
			}
		}
	}
	return doc.New(def, uitest.Specs(uitest.Registry(t)))
}
