package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

const shown = `{"id":"w","nodes":[{"id":"in","type":"io.input","config":{"name":"order","type":"any"},"position":{"x":0,"y":0}},` +
	`{"id":"wide","type":"text.length","config":{"text":"x"},"position":{"x":140,"y":0}},` +
	`{"id":"out","type":"io.output","config":{"name":"said","value":"before"},"position":{"x":400,"y":0}}],"connections":[]}`

func TestAnExpressionBecomesANode(t *testing.T) {
	d := editortest.Open(t, shown)
	to := editortest.In("out", "value")
	id, err := d.Derive(to, cards.PortRef{}, ".")
	require.NoError(t, err)
	n, _ := d.Node(id)
	require.Equal(t, map[string]any{"filter": ".", "value": "before"}, n.Config, "what was there is what the expression is about")
	out, _ := d.Node("out")
	require.NotContains(t, out.Config, "value")
	require.Len(t, d.Connections(), 1)
	made, _ := d.Card(id)
	for _, other := range []string{"in", "wide", "out"} {
		card, _ := d.Card(other)
		require.False(t, made.Rect.Overlaps(card.Rect), "it lies on %s", other)
	}
	name, ok := d.Undo()
	require.True(t, ok)
	require.Equal(t, "Use an expression", name)
	require.Empty(t, d.Connections())
	out, _ = d.Node("out")
	require.Equal(t, "before", out.Config["value"])

	id, err = d.Derive(to, editortest.Out("in", "value"), ".items[0]")
	require.NoError(t, err)
	n, _ = d.Node(id)
	require.Equal(t, map[string]any{"filter": ".items[0]"}, n.Config)
	require.Len(t, d.Connections(), 2)

	bare := doc.New(d.Definition(), doc.NewSpecs(nil, nil))
	_, err = bare.Derive(to, cards.PortRef{}, ".")
	require.ErrorIs(t, err, doc.ErrNoExpressions)
}
