package canvas_test

import (
	"flag"
	"image/color"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	fynecanvas "fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

// run is a run of fans that has come halfway.
func run() *fold.State {
	o := &fold.State{}
	for _, e := range []engine.Event{
		{Name: engine.EventNode, NodeID: "term", Status: engine.StatusSucceeded, Duration: 100 * time.Microsecond, Outputs: map[string]any{"value": "go"}},
		{Name: engine.EventNode, NodeID: "posts", Status: engine.StatusSucceeded, Duration: 342 * time.Millisecond, Outputs: map[string]any{"tweets": make([]any, 12)}},
		{Name: engine.EventNode, NodeID: "filter", Status: engine.StatusFailed, Duration: 2 * time.Millisecond, Error: &engine.Failure{Message: "no such field"}},
		{Name: engine.EventStarted, NodeID: "send"},
		{Name: engine.EventProgress, NodeID: "send", Step: 3, Total: 5},
		{Name: engine.EventNode, NodeID: "off", Status: engine.StatusSkipped},
	} {
		o.Apply(e)
	}
	return o
}

func TestGoldens(t *testing.T) {
	states := []struct {
		name string
		set  func(t *testing.T, h *driver)
	}{
		{"plain", func(*testing.T, *driver) {}},
		{"run", func(_ *testing.T, h *driver) { h.Board().Run = run() }},
		{"hover", func(t *testing.T, h *driver) {
			h.Board().Selection.Replace(doc.Set{Nodes: []string{"filter", "send"}, Notes: []string{"n"}})
			h.MouseMoved(mouse(h.middle(t, "posts"), 0, 0))
		}},
	}
	for name, scheme := range uitest.Schemes() {
		for _, state := range states {
			t.Run(state.name+"-"+name, func(t *testing.T) {
				h := show(t, scheme, document(t, fans), 840, 560)
				state.set(t, h)
				h.Update()
				uitest.Golden(t, state.name+"-"+name, h.window.Canvas().Capture(), *update)
			})
		}
	}
}

// loops has a loop with a loop in it.
const loops = `{"id":"loops","nodes":[` +
	`{"id":"names","type":"io.input","config":{"name":"names","type":"list<string>"},"position":{"x":24,"y":24}},` +
	`{"id":"loop","type":"control.foreach","position":{"x":216,"y":24},"body":{"nodes":[` +
	`{"id":"item","type":"io.input","config":{"name":"item","type":"string"},"position":{"x":0,"y":0}},` +
	`{"id":"hello","type":"text.format","config":{"template":"Hello, {name}!"},"position":{"x":216,"y":0}},` +
	`{"id":"deep","type":"control.foreach","position":{"x":0,"y":152},"body":{"nodes":[` +
	`{"id":"x","type":"text.join","position":{"x":0,"y":0}}],"connections":[]}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"hello","toPort":"name"}],` +
	`"notes":[{"id":"n","text":"Once for each name","position":{"x":264,"y":232},"size":{"w":176,"h":64}}]}}],` +
	`"connections":[{"fromNodeId":"names","fromPort":"value","toNodeId":"loop","toPort":"list"}]}`

// An unfolded body is drawn in its frame, with the run that is shown.
func TestUnfoldedGoldens(t *testing.T) {
	for name, scheme := range uitest.Schemes() {
		t.Run(name, func(t *testing.T) {
			d := document(t, loops)
			require.NoError(t, d.Enter("loop"))
			require.NoError(t, d.Unfold("deep"))
			d.Leave()
			require.NoError(t, d.Unfold("loop"))
			h := show(t, scheme, d, 900, 720)
			h.Board().Run = &fold.State{}
			for _, e := range []engine.Event{
				{Name: engine.EventStarted, NodeID: "loop"},
				{Name: engine.EventStarted, NodeID: "loop/1/hello"},
				{Name: engine.EventNode, NodeID: "loop/1/hello", Status: engine.StatusSucceeded, Duration: 2 * time.Millisecond},
				{Name: engine.EventProgress, NodeID: "loop", Step: 1, Total: 3},
			} {
				h.Board().Run.Apply(e)
			}
			require.NoError(t, h.Board().Document().Enter("loop"))
			h.Board().Selection.Clear()
			h.Board().Draw()
			h.Board().Selection.Replace(doc.Set{Nodes: []string{"hello"}})
			h.Update()
			uitest.Golden(t, "unfolded-"+name, h.window.Canvas().Capture(), *update)
		})
	}
}

// The service nodes are circles 64dp wide, in the colour of their network.
func TestServiceCirclesAreExact(t *testing.T) {
	for id, want := range map[string]color.NRGBA{"send": {R: 0x0A, G: 0x66, B: 0xC2, A: 0xFF}, "posts": {A: 0xFF}} {
		t.Run(id, func(t *testing.T) {
			h := show(t, theme.Light, document(t, fans), 840, 560)
			picture := h.window.Canvas().Capture()
			middle := h.middle(t, id)
			x, y := int(middle.X), int(middle.Y)
			at := func(dx, dy int) color.NRGBA { return color.NRGBAModel.Convert(picture.At(x+dx, y+dy)).(color.NRGBA) }
			const radius = 32
			require.Equal(t, want, at(0, -radius+1), "inside, at the top")
			require.Equal(t, want, at(0, radius-2), "inside, at the bottom")
			canvas := theme.LightPalette().Canvas
			require.NotEqual(t, want, at(0, -radius-1), "outside, at the top")
			require.NotEqual(t, want, at(0, radius+1), "outside, at the bottom")
			require.Equal(t, fyne.NewSquareSize(2*radius), circleAt(t, h, middle), "ports hide its left and right edge")
			if id == "send" { // it has no successor
				require.Equal(t, canvas, at(0, -radius-2))
			}
		})
	}
}

// circleAt returns the size of the lowest circle that is drawn around a point.
func circleAt(t *testing.T, h *driver, middle fyne.Position) fyne.Size {
	t.Helper()
	for _, o := range test.WidgetRenderer(h.Canvas).Objects() {
		c, ok := o.(*fynecanvas.Circle)
		if ok && c.Position1.AddXY(c.Size().Width/2, c.Size().Height/2) == middle {
			return c.Size()
		}
	}
	require.Fail(t, "no circle is drawn there")
	return fyne.Size{}
}
