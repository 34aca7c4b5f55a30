package editor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortsOfACircleCanBeHitOneByOne(t *testing.T) {
	for inputs := range 12 {
		for outputs := range 12 {
			radius := ringRadius(inputs, outputs)
			require.GreaterOrEqual(t, radius, circleSize/2)
			var ports []Point
			for i := range inputs {
				ports = append(ports, onArc(radius, i, inputs, -1))
			}
			for i := range outputs {
				ports = append(ports, onArc(radius, i, outputs, 1))
			}
			for i, p := range ports {
				for _, q := range ports[:i] {
					require.GreaterOrEqual(t, p.Sub(q).Length(), 20-1e-9, "%d inputs and %d outputs", inputs, outputs)
				}
			}
		}
	}
	require.Equal(t, circleSize/2, ringRadius(3, 5), "the service nodes keep theirs on the edge")
}

func TestCirclesAndCards(t *testing.T) {
	d := open(t, `{"id":"x","nodes":[{"id":"send","type":"pronet.send","position":{"x":100,"y":100}},`+
		`{"id":"fmt","type":"text.format","config":{"template":"Thanks, {author}!"},"position":{"x":300,"y":100}},`+
		`{"id":"what","type":"acme.unknown","position":{"x":0,"y":0}}],"connections":[]}`)
	send, _ := d.Card("send")
	require.True(t, send.Circle)
	require.Equal(t, RectAt(Point{100, 100}, 64, 64), send.Rect)
	to := send.Anchor("to", false)
	require.InDelta(t, 100, to.At.X, 0.01, "the middle input is leftmost")
	require.InDelta(t, 132, to.At.Y, 0.01)

	format, _ := d.Card("fmt")
	require.False(t, format.Circle)
	require.Equal(t, Point{300, 100}, format.Rect.Min)
	require.InDelta(t, 42+24*float64(3), format.Rect.H(), 0.01, "three rows: template, values, author")
	require.Equal(t, Point{format.Rect.Max.X, 150}, format.Anchor("result", true).At)
	require.True(t, format.Anchor("template", false).Fixed())
	require.Equal(t, "Thanks, {author}!", format.Anchor("template", false).Value)

	what, _ := d.Card("what")
	require.Nil(t, what.Spec)
	require.Equal(t, "acme.unknown", what.Title())
	require.InDelta(t, headerHeight, what.Rect.H(), 0)
}

func TestErrorPortIsShownWhereWanted(t *testing.T) {
	d := open(t, mixed)
	card := func() *Card { c, _ := d.Card("s"); return c }
	require.Nil(t, card().Anchor("$error", true))
	d.Reveal("s", true)
	require.NotNil(t, card().Anchor("$error", true))
	d.Reveal("s", false)
	require.NoError(t, d.Connect(out("s", "$error"), in("what", "in")))
	require.NotNil(t, card().Anchor("$error", true), "it has a wire")
}

// TestGridFindsAll compares the grid with looking at everything.
func TestGridFindsAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	box := func(size float64) Rect {
		return RectAt(Point{random.Float64()*20000 - 10000, random.Float64()*20000 - 10000}, random.Float64()*size, random.Float64()*size)
	}
	g := NewIndex(500)
	for i := range 500 {
		g.Add(i, box([]float64{50, 600, 9000}[i%3]))
	}
	for range 300 {
		r := box(3000)
		found := map[int]int{}
		g.Within(r, func(i int) { found[i]++ })
		for i, b := range g.boxes {
			want := 0
			if b.Overlaps(r) {
				want = 1
			}
			require.Equal(t, want, found[i], "%v in %v", b, r)
		}
	}
}

func TestHit(t *testing.T) {
	d := open(t, greet)
	s := NewScene(d)
	label := s.Groups[0].Rect.Min.Add(Point{20, 10})
	edge := Point{s.Groups[0].Rect.Center().X, s.Groups[0].Rect.Max.Y - 1}
	name, _ := s.Anchor(in("fmt", "name"))
	tests := []struct {
		name string
		at   Point
		want Hit
	}{
		{"node", Point{20, 20}, Hit{Kind: HitNode, ID: "who"}},
		{"port", name.At, Hit{Kind: HitPort, ID: "fmt", Port: in("fmt", "name")}},
		{"beside a port", name.At.Add(Point{-9.5, 0}), Hit{Kind: HitPort, ID: "fmt", Port: in("fmt", "name")}},
		{"wire", s.Wires[0].Curve.At(0.5), Hit{Kind: HitWire, Wire: conn("who", "value", "fmt", "name")}},
		{"note", Point{10, 210}, Hit{Kind: HitNote, ID: "n1"}},
		{"corner of a note", Point{155, 275}, Hit{Kind: HitNoteCorner, ID: "n1"}},
		{"label of a group", label, Hit{Kind: HitGroup, ID: "g1"}},
		{"edge of a group", edge, Hit{Kind: HitGroup, ID: "g1"}},
		{"inside a group", edge.Add(Point{0, -12}), Hit{}},
		{"nothing", Point{-500, -500}, Hit{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, s.Hit(test.at, 1)) })
	}
}

func TestNearestByArrow(t *testing.T) {
	d := open(t, `{"id":"x","nodes":[{"id":"mid","type":"text.slice","position":{"x":0,"y":0}},`+
		`{"id":"right","type":"text.slice","position":{"x":400,"y":60}},{"id":"far","type":"text.slice","position":{"x":900,"y":0}},`+
		`{"id":"below","type":"text.slice","position":{"x":30,"y":300}},{"id":"left","type":"text.slice","position":{"x":-300,"y":-40}}],"connections":[]}`)
	for direction, want := range map[Direction]string{Right: "right", Down: "below", Left: "left", Up: ""} {
		id, _ := NewScene(d).Nearest("mid", direction)
		require.Equal(t, want, id)
	}
	id, _ := NewScene(d).NearestTo(Point{950, 20})
	require.Equal(t, "far", id)
}

func TestUpstreamAndDownstream(t *testing.T) {
	d := open(t, chain)
	require.Equal(t, []string{"fmt", "up", "who"}, d.Upstream("fmt"))
	require.Equal(t, []string{"count", "fmt", "len", "out"}, d.Downstream("fmt"))
}

func TestViewport(t *testing.T) {
	v := NewViewport(1000, 600)
	v.PanBy(Point{10.4, -3.6})
	require.Equal(t, Point{10, -4}, v.Pan, "whole pixels")
	pointer := Point{321, 123}
	at := v.ToDocument(pointer)
	for _, notches := range []float64{1, 1, -3, 2, 100, -100} {
		before := v.Zoom
		v.Wheel(notches, pointer)
		require.InDelta(t, pointer.X, v.ToScreen(at).X, 1, "what is under the pointer stays there")
		require.InDelta(t, pointer.Y, v.ToScreen(at).Y, 1)
		require.Equal(t, v.Pan.Snap(1), v.Pan, "whole pixels")
		require.LessOrEqual(t, max(v.Zoom/before, before/v.Zoom), zoomStep*zoomStep*zoomStep+1e-9, "no leaps")
		at = v.ToDocument(pointer)
	}
	for range 100 {
		v.Wheel(-3, pointer)
	}
	require.InDelta(t, minZoom, v.Zoom, 1e-9)

	v.Fit(RectAt(Point{500, 500}, 100, 100))
	require.InDelta(t, 1, v.Zoom, 0, "never larger than life")
	require.Equal(t, Point{500, 300}, v.ToScreen(Point{550, 550}))
	v.Fit(RectAt(Point{}, 9040, 100))
	require.InDelta(t, 0.1, v.Zoom, 1e-9)
	before := v
	v.Fit(Rect{})
	require.Equal(t, before, v)

	v.Open(RectAt(Point{-200, -100}, 5000, 5000))
	require.InDelta(t, 1, v.Zoom, 0)
	require.Equal(t, Point{48, 48}, v.ToScreen(Point{-200, -100}))

	require.Equal(t, Point{}, v.EdgePan(Point{500, 300}))
	require.Equal(t, Point{900, -450}, v.EdgePan(Point{-10, 584}))
}

func TestCurve(t *testing.T) {
	c := WireCurve(Point{0, 0}, Point{200, 100})
	require.Equal(t, Point{100, 50}, c.At(0.5))
	require.InDelta(t, 0, c.Distance(c.At(0.3)), 1)
	require.InDelta(t, 30, c.Distance(Point{-30, 0}), 0.01)
	require.Equal(t, 1, WireCurve(Point{}, Point{100, 0}).Segments(1), "a straight one is one line")
	require.Equal(t, 24, c.Segments(4))
	for i := range 11 {
		require.True(t, WireCurve(Point{300, 0}, Point{0, 50}).Bounds().Contains(WireCurve(Point{300, 0}, Point{0, 50}).At(float64(i)/10)))
	}
}

func TestTexts(t *testing.T) {
	require.Equal(t, "short", shorten("short", rowText, 200))
	require.Equal(t, "a very l…", shorten("a very long text", rowText, 9*rowText*0.58+1))
	require.Equal(t, "one…", shorten("one\ntwo", rowText, 200))
	require.Equal(t, "日本…", shorten("日本語日本語", rowText, 6.5*rowText*0.58))
	line, rest := wrap("several words in a row", 14.5*rowText*0.58)
	require.Equal(t, [2]string{"several words", "in a row"}, [2]string{line, rest})
	line, rest = wrap("unbreakable", 5.5*rowText*0.58)
	require.Equal(t, [2]string{"unbre", "akable"}, [2]string{line, rest})
	line, rest = wrap("two words", 8.5*rowText*0.58)
	require.Equal(t, [2]string{"two", "words"}, [2]string{line, rest}, "by its last letter too long")
	line, rest = wrap("日", 1)
	require.Equal(t, [2]string{"日", ""}, [2]string{line, rest}, "always goes on")
}
