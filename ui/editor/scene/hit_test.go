package scene

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestHit(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	s := New(d)
	label := s.Groups[0].Rect.Min.Add(geom.Point{X: 20, Y: 10})
	edge := geom.Point{X: s.Groups[0].Rect.Center().X, Y: s.Groups[0].Rect.Max.Y - 1}
	name, _ := s.Anchor(editortest.In("fmt", "name"))
	tests := []struct {
		name string
		at   geom.Point
		want Hit
	}{
		{"node", geom.Point{X: 20, Y: 20}, Hit{Kind: HitNode, ID: "who"}},
		{"port", name.At, Hit{Kind: HitPort, ID: "fmt", Port: editortest.In("fmt", "name")}},
		{"beside a port", name.At.Add(geom.Point{X: -9.5, Y: 0}), Hit{Kind: HitPort, ID: "fmt", Port: editortest.In("fmt", "name")}},
		{"wire", s.Wires[0].Way.Middle(), Hit{Kind: HitWire, Wire: editortest.Conn("who", "value", "fmt", "name")}},
		{"note", geom.Point{X: 10, Y: 210}, Hit{Kind: HitNote, ID: "n1"}},
		{"corner of a note", geom.Point{X: 155, Y: 275}, Hit{Kind: HitNoteCorner, ID: "n1"}},
		{"label of a group", label, Hit{Kind: HitGroup, ID: "g1"}},
		{"edge of a group", edge, Hit{Kind: HitGroup, ID: "g1"}},
		{"inside a group", edge.Add(geom.Point{X: 0, Y: -12}), Hit{}},
		{"nothing", geom.Point{X: -500, Y: -500}, Hit{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, s.Hit(test.at, 1)) })
	}
}

func TestNearestByArrow(t *testing.T) {
	d := editortest.Open(t, `{"id":"x","nodes":[{"id":"mid","type":"text.slice","position":{"x":0,"y":0}},`+
		`{"id":"right","type":"text.slice","position":{"x":400,"y":60}},{"id":"far","type":"text.slice","position":{"x":900,"y":0}},`+
		`{"id":"below","type":"text.slice","position":{"x":30,"y":300}},{"id":"left","type":"text.slice","position":{"x":-300,"y":-40}}],"connections":[]}`)
	for direction, want := range map[Direction]string{Right: "right", Down: "below", Left: "left", Up: ""} {
		id, _ := New(d).Nearest("mid", direction)
		require.Equal(t, want, id)
	}
	id, _ := New(d).NearestTo(geom.Point{X: 950, Y: 20})
	require.Equal(t, "far", id)
}

func TestViewport(t *testing.T) {
	v := NewViewport(1000, 600)
	v.PanBy(geom.Point{X: 10.4, Y: -3.6})
	require.Equal(t, geom.Point{X: 10, Y: -4}, v.Pan, "whole pixels")
	pointer := geom.Point{X: 321, Y: 123}
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

	v.Fit(geom.RectAt(geom.Point{X: 500, Y: 500}, 100, 100))
	require.InDelta(t, 1, v.Zoom, 0, "never larger than life")
	require.Equal(t, geom.Point{X: 500, Y: 300}, v.ToScreen(geom.Point{X: 550, Y: 550}))
	v.Fit(geom.RectAt(geom.Point{}, 9040, 100))
	require.InDelta(t, 0.1, v.Zoom, 1e-9)
	before := v
	v.Fit(geom.Rect{})
	require.Equal(t, before, v)

	v.Open(geom.RectAt(geom.Point{X: -200, Y: -100}, 5000, 400))
	require.InDelta(t, 904.0/5000, v.Zoom, 1e-9, "all of it")
	v.Open(geom.RectAt(geom.Point{X: -200, Y: -100}, 50_000, 5000))
	require.InDelta(t, 1, v.Zoom, 0, "there is no zoom for that")
	require.Equal(t, geom.Point{X: 48, Y: 48}, v.ToScreen(geom.Point{X: -200, Y: -100}))

	require.Equal(t, geom.Point{}, v.EdgePan(geom.Point{X: 500, Y: 300}))
	require.Equal(t, geom.Point{X: 900, Y: -450}, v.EdgePan(geom.Point{X: -10, Y: 584}))
}

func TestCurve(t *testing.T) {
	c := WireCurve(geom.Point{X: 0, Y: 0}, geom.Point{X: 200, Y: 100})
	require.Equal(t, geom.Point{X: 100, Y: 50}, c.At(0.5))
	require.InDelta(t, 0, c.distance(c.At(0.3)), 1)
	require.InDelta(t, 30, c.distance(geom.Point{X: -30, Y: 0}), 0.01)
	require.Equal(t, 1, WireCurve(geom.Point{}, geom.Point{X: 100, Y: 0}).Segments(1), "a straight one is one line")
	require.Equal(t, 24, c.Segments(4))
	for i := range 11 {
		require.True(t, WireCurve(geom.Point{X: 300, Y: 0}, geom.Point{X: 0, Y: 50}).Bounds().Contains(WireCurve(geom.Point{X: 300, Y: 0}, geom.Point{X: 0, Y: 50}).At(float64(i)/10)))
	}
}
