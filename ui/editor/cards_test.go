package editor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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

func TestUpstreamAndDownstream(t *testing.T) {
	d := open(t, chain)
	require.Equal(t, []string{"fmt", "up", "who"}, d.Upstream("fmt"))
	require.Equal(t, []string{"count", "fmt", "len", "out"}, d.Downstream("fmt"))
}
