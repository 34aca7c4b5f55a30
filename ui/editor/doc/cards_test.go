package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestCirclesAndCards(t *testing.T) {
	d := editortest.Open(t, `{"id":"x","nodes":[{"id":"send","type":"pronet.send","position":{"x":100,"y":100}},`+
		`{"id":"fmt","type":"text.format","config":{"template":"Thanks, {author}!"},"position":{"x":300,"y":100}},`+
		`{"id":"what","type":"acme.unknown","position":{"x":0,"y":0}}],"connections":[]}`)
	send, _ := d.Card("send")
	require.True(t, send.Circle)
	require.Equal(t, geom.RectAt(geom.Point{X: 100, Y: 100}, 64, 64), send.Rect)
	to := send.Anchor("to", false)
	require.InDelta(t, 100, to.At.X, 0.01, "the middle input is leftmost")
	require.InDelta(t, 132, to.At.Y, 0.01)

	format, _ := d.Card("fmt")
	require.False(t, format.Circle)
	require.Equal(t, geom.Point{X: 300, Y: 100}, format.Rect.Min)
	require.InDelta(t, 42+24*float64(3), format.Rect.H(), 0.01, "three rows: template, values, author")
	require.Equal(t, geom.Point{X: format.Rect.Max.X, Y: 150}, format.Anchor("result", true).At)
	require.True(t, format.Anchor("template", false).Fixed())
	require.Equal(t, "Thanks, {author}!", format.Anchor("template", false).Value)

	what, _ := d.Card("what")
	require.Nil(t, what.Spec)
	require.Equal(t, "acme.unknown", what.Title())
	require.InDelta(t, cards.HeaderHeight, what.Rect.H(), 0)
}

func TestControlsHaveNoRows(t *testing.T) {
	d := editortest.Open(t, editortest.Mixed)
	card := func() *cards.Card { c, _ := d.Card("s"); return c }
	before := card().Rect.H()
	require.NoError(t, d.Connect(editortest.Out("s", "$error"), editortest.In("what", "in")))
	require.Equal(t, 1, card().Anchor("$error", true).Wires)
	require.InDelta(t, before, card().Rect.H(), 0)
	require.Nil(t, card().Anchor("$after", false), "a run begins here")
	for _, a := range card().Controls {
		require.True(t, card().Extent().Contains(a.At), a.Port)
	}
}

func TestUpstreamAndDownstream(t *testing.T) {
	d := editortest.Open(t, editortest.Chain)
	require.Equal(t, []string{"fmt", "up", "who"}, d.Upstream("fmt"))
	require.Equal(t, []string{"count", "fmt", "len", "out"}, d.Downstream("fmt"))
}
