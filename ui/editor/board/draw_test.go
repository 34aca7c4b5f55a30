package board

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

var update = flag.Bool("update", false, "write the golden files")

// drawn has one of all that can be drawn.
const drawn = `{"id":"drawn","nodes":[` +
	`{"id":"term","type":"io.input","config":{"name":"term","required":true,"type":"string"},"label":"Search term","position":{"x":24,"y":120}},` +
	`{"id":"search","type":"microblog.search","config":{"credential":"microblog:bot"},"position":{"x":296,"y":152}},` +
	`{"id":"filter","type":"listops.filter","config":{"expression":"item.text != \"\""},"position":{"x":432,"y":112}},` +
	`{"id":"send","type":"pronet.send","position":{"x":720,"y":120}},` +
	`{"id":"off","type":"text.format","config":{"template":"Thanks, {author}!"},"disabled":true,"position":{"x":400,"y":380}},` +
	`{"id":"what","type":"acme.unknown","position":{"x":40,"y":400}}],` +
	`"connections":[{"fromNodeId":"term","fromPort":"value","toNodeId":"search","toPort":"query"},` +
	`{"fromNodeId":"search","fromPort":"posts","toNodeId":"filter","toPort":"list"},` +
	`{"fromNodeId":"what","fromPort":"made","toNodeId":"off","toPort":"author"}],` +
	`"groups":[{"id":"g","label":"Thank everyone","nodeIds":["search","filter"]}],` +
	`"notes":[{"id":"n","text":"Only those who wrote something, and not more than ten of them","position":{"x":24,"y":560},"size":{"w":160,"h":80}}]}`

// dump prints a list, one item a line.
func dump(items []scene.Item) string {
	kinds := [...]string{"rect", "circle", "arc", "line", "wire", "text", "icon", "port", "hatch", "picture"}
	var b strings.Builder
	for _, i := range items {
		if i.Kind == scene.ItemLine && i.Stroke.Ink == scene.InkGrid {
			continue
		}
		box := i.Box
		if i.Kind == scene.ItemWire {
			box = geom.Rect{Min: i.Curve[0], Max: i.Curve[3]}
		}
		fmt.Fprintf(&b, "%s %v,%v %v,%v", kinds[i.Kind], tenth(box.Min.X), tenth(box.Min.Y), tenth(box.Max.X), tenth(box.Max.Y))
		for _, p := range []struct {
			name  string
			paint scene.Paint
		}{{"fill", i.Fill}, {"stroke", i.Stroke}} {
			if p.paint != (scene.Paint{}) {
				fmt.Fprintf(&b, " %s=%d", p.name, p.paint.Ink)
				if p.paint.Ink == scene.InkExact {
					fmt.Fprintf(&b, "#%06X", p.paint.RGB)
				}
				if p.paint.Legible {
					b.WriteString("-legible")
				}
				if p.paint.Clear > 0 {
					fmt.Fprintf(&b, "-%d%%", p.paint.Clear)
				}
			}
		}
		for _, f := range []struct {
			name string
			of   float32
		}{{"width", i.Width}, {"radius", i.Radius}, {"size", i.Size}, {"sweep", i.Sweep}, {"segments", float32(i.Segments)}, {"shape", float32(i.Shape)}, {"align", float32(i.Align)}} {
			if f.of != 0 {
				fmt.Fprintf(&b, " %s=%v", f.name, tenth(float64(f.of)))
			}
		}
		if i.Dashed {
			b.WriteString(" dashed")
		}
		if i.Text != "" {
			fmt.Fprintf(&b, " %q", i.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func tenth(x float64) float64 { return math.Round(x*10)/10 + 0 }

func TestDrawGoldens(t *testing.T) {
	tests := []struct {
		name string
		do   func(h *user)
	}{
		{"plain", func(*user) {}},
		{"shapes", func(h *user) { h.View.ZoomTo(0.4, geom.Point{}) }},
		{"blocks", func(h *user) { h.View.ZoomTo(0.2, geom.Point{}) }},
		{"corner", func(h *user) { h.View = scene.NewViewport(200, 200) }},
		{"selected", func(h *user) {
			h.SelectAll()
			h.Selection.Add(doc.Set{Wires: h.doc.Connections()[:1], Groups: []string{"g"}})
		}},
		{"hover", func(h *user) { h.Move(Pointer{At: h.port(editortest.In("send", "to"))}) }},
		{"hover-circle", func(h *user) { h.Move(Pointer{At: geom.Point{X: 752, Y: 152}}) }},
		{"problems", func(h *user) {
			h.SetProblems(engine.ValidationErrors{{NodeID: "send"}, {NodeID: "filter"}})
		}},
		{"run", func(h *user) {
			h.Run = &fold.State{}
			h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: "term", Status: engine.StatusSucceeded, Duration: 100 * time.Microsecond, Outputs: map[string]any{"value": "go"}})
			h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: "search", Status: engine.StatusSucceeded, Duration: 342 * time.Millisecond, Outputs: map[string]any{"posts": make([]any, 12)}})
			h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: "filter", Status: engine.StatusFailed, Duration: 2 * time.Millisecond, Error: &engine.Failure{Message: "no such field"}})
			h.Run.Apply(engine.Event{Name: engine.EventStarted, NodeID: "send"})
			h.Run.Apply(engine.Event{Name: engine.EventProgress, NodeID: "send", Step: 3, Total: 5})
			h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: "what", Status: engine.StatusSkipped})
		}},
		{"dragging", func(h *user) {
			h.Down(Pointer{At: h.node("filter")})
			h.Move(Pointer{At: h.node("filter").Add(geom.Point{X: 100, Y: 50})})
		}},
		{"wiring", func(h *user) {
			h.Down(Pointer{At: h.port(editortest.Out("filter", "result"))})
			h.Move(Pointer{At: h.port(editortest.In("send", "text")).Add(geom.Point{X: -2, Y: 2})})
		}},
		{"marquee", func(h *user) {
			h.Down(Pointer{At: geom.Point{X: 10, Y: 10}})
			h.Move(Pointer{At: geom.Point{X: 100, Y: 200}})
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHand(t, drawn)
			test.do(h)
			got := dump(h.Draw())
			file := filepath.Join("testdata", "draw", test.name+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
			require.Equal(t, got, dump(h.Draw()), "drawing changes nothing")
		})
	}
}

func TestCirclesAreExact(t *testing.T) {
	h := newHand(t, drawn)
	var circles []scene.Item
	for _, i := range h.Draw() {
		if i.Kind == scene.ItemCircle && i.Fill.Ink == scene.InkExact {
			circles = append(circles, i)
		}
	}
	require.Len(t, circles, 2)
	require.Equal(t, geom.RectAt(geom.Point{X: 296, Y: 152}, 64, 64), circles[0].Box)
	require.Equal(t, scene.Paint{Ink: scene.InkExact, RGB: 0x000000}, circles[0].Fill)
	require.Equal(t, scene.InkHairline, circles[0].Stroke.Ink)
	require.Equal(t, scene.Paint{Ink: scene.InkExact, RGB: 0x0A66C2}, circles[1].Fill)
	require.Equal(t, scene.Paint{}, circles[1].Stroke)
}

// TestDrawKeepsBudgets holds the numbers of items that a frame can afford.
func TestDrawKeepsBudgets(t *testing.T) {
	b := latticeBoard(t, 1000)
	require.Less(t, len(b.Draw()), 1500, "at 100 %")
	b.FitAll()
	require.Less(t, len(b.Draw()), 4000, "all in view")
	require.LessOrEqual(t, testing.AllocsPerRun(5, func() { b.Draw() }), 10.0, "the memory is kept")
}

// Where far too many wires are in view, only those are drawn that can be seen well.
func TestCrowdsLeaveOutTheShortestWires(t *testing.T) {
	wires := func(b *Board) (all, short int) {
		for _, i := range b.Draw() {
			if i.Kind == scene.ItemWire {
				all++
				if i.Curve[3].Sub(i.Curve[0]).Length() < 8 {
					short++
				}
			}
		}
		return all, short
	}
	few, many := latticeBoard(t, 400), latticeBoard(t, 1000)
	for _, b := range []*Board{few, many} {
		b.View.ZoomTo(0.06, geom.Point{})
	}
	all, short := wires(few)
	require.Len(t, few.doc.Connections(), all)
	require.NotZero(t, short)
	all, short = wires(many)
	require.NotZero(t, all)
	require.Zero(t, short)
}

const listed = `{"id":"w","nodes":[{"id":"each","type":"control.foreach","body":{"nodes":[` +
	`{"id":"l","type":"io.input","config":{"name":"item","type":"list<string>"},"position":{"x":0,"y":0}},` +
	`{"id":"join","type":"text.concat","position":{"x":400,"y":0}}],` +
	`"connections":[{"fromNodeId":"l","fromPort":"value","toNodeId":"join","toPort":"parts"}]}}],"connections":[]}`

// Each of three iterations of a loop gave one item; one was too large for its event.
func TestAWireCountsOnlyKnownItems(t *testing.T) {
	h := newHand(t, listed)
	require.NoError(t, h.doc.Enter("each"))
	h.Run = &fold.State{}
	texts := func() (all []string) {
		for _, item := range h.Draw() {
			all = append(all, item.Text)
		}
		return all
	}
	give := func(round string, v any) {
		h.Run.Apply(engine.Event{Name: engine.EventNode, NodeID: "each/" + round + "/l", Status: engine.StatusSucceeded, Outputs: map[string]any{"value": v}})
	}
	give("0", []any{"a"})
	require.Contains(t, texts(), "1")
	give("1", engine.Elide(70_000))
	give("2", []any{"c"})
	require.Contains(t, texts(), "many")
	require.NotContains(t, texts(), "2")
	require.NotContains(t, texts(), "0")
}
