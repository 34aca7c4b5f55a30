package editor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
