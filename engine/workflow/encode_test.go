package workflow_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// What was stored comes back as it was posted.
func TestRoundTrip(t *testing.T) {
	const node = `{"id":"a","nodes":[{"id":"n","type":"t"`
	const end = `}],"connections":[]}`
	for _, text := range []string{
		greet,
		`{"id":"","nodes":[],"connections":[]}`,
		`{"id":"a","name":"","description":"","nodes":[],"connections":[],"groups":[],"notes":[]}`,
		node + `,"label":"","config":{},"retry":{},"disabled":false` + end,
		node + `,"config":{"a":null,"b":[],"c":{},"d":-0,"e":9223372036854775807,"f":1.5e+300}` + end,
		node + `,"body":{"id":"","name":"","nodes":[],"connections":[]}` + end,
		node + `,"body":{"id":"b","nodes":[{"id":"m","type":"t","body":{"nodes":[],"connections":[]}}],"connections":[]}` + end,
		`{"id":"a","nodes":[],"connections":[],"groups":[{"id":""},{"id":"g","label":"","nodeIds":[],"color":""}]}`,
		`{"id":"a","nodes":[],"connections":[],"notes":[{"id":""},{"id":"n","text":"","position":{"x":0,"y":0},"size":{"w":0,"h":0},"color":""}]}`,
		node + `,"position":{"x":0,"y":0},"size":{"w":240,"h":0.5},"timeoutMs":1}],"connections":[` +
			`{"fromNodeId":"n","fromPort":"o","toNodeId":"n","toPort":"i","via":[]},` +
			`{"fromNodeId":"n","fromPort":"o","toNodeId":"n","toPort":"i","via":[{"x":1.5,"y":-2},{"x":0,"y":0}]}]}`,
		`{"id":"é\"\\\n` + "\u2028" + `","nodes":[],"connections":[]}`,
	} {
		d, err := decode(text)
		require.NoError(t, err, text)
		require.Equal(t, text, string(d.AppendJSON(nil)))

		formatted, err := workflow.Decode(d.Format(), workflow.DefaultLimits())
		require.NoError(t, err)
		require.Equal(t, d, formatted)
		require.Equal(t, string(d.Format()), string(formatted.Format()))
	}
}

func TestCanonicalForm(t *testing.T) {
	d, err := decode(` { "connections" : [ ] , "nodes":[{"config":{"b":1.0,"a":1e3},"type":"t","id":"n"}],"id":"\u0061" } `)
	require.NoError(t, err)
	require.Equal(t, `{"id":"a","nodes":[{"id":"n","type":"t","config":{"a":1000,"b":1}}],"connections":[]}`, string(d.AppendJSON(nil)))
}

func TestFormat(t *testing.T) {
	d, err := decode(`{"id":"a","nodes":[{"id":"n","type":"t","config":{}}],"connections":[]}`)
	require.NoError(t, err)
	require.Equal(t, `{
  "id": "a",
  "nodes": [
    {"id": "n", "type": "t", "config": {}}
  ],
  "connections": []
}
`, string(d.Format()))
}

// Indenting may not make gigabytes of a document that was short enough to take.
func TestFormatOfDeepValues(t *testing.T) {
	deep := any(make([]any, 100_000))
	for range 900 {
		deep = []any{deep}
	}
	d := &workflow.Definition{ID: "a", Nodes: []workflow.Node{{ID: "n", Type: "t", Config: map[string]any{"deep": deep}}}}
	require.Equal(t, string(d.AppendJSON(nil))+"\n", string(d.Format()))
}

// A definition made in code is a document too.
func TestMarshalLiteral(t *testing.T) {
	require.Equal(t, `{"id":"","nodes":[],"connections":[]}`, string(new(workflow.Definition).AppendJSON(nil)))
	d := &workflow.Definition{ID: "a", Nodes: []workflow.Node{{ID: "n", Type: "t", Body: &workflow.Definition{}}}}
	text, err := json.Marshal(struct{ D *workflow.Definition }{d})
	require.NoError(t, err)
	require.Equal(t, `{"D":{"id":"a","nodes":[{"id":"n","type":"t","body":{"nodes":[],"connections":[]}}],"connections":[]}}`, string(text))
}

func TestUnmarshal(t *testing.T) {
	d := workflow.Definition{Description: "old"}
	require.NoError(t, json.Unmarshal([]byte(greet), &d))
	require.Equal(t, greet, string(d.AppendJSON(nil)))
	require.Error(t, json.Unmarshal([]byte(`{"id":"x"}`), &d))
	require.Equal(t, "greet", d.ID, "an error leaves the definition alone")
}

func TestDigest(t *testing.T) {
	a, err := decode(greet)
	require.NoError(t, err)
	b, err := workflow.Decode(a.Format(), workflow.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, a.Digest(), b.Digest(), "layout does not count")
	require.Regexp(t, `^[0-9a-f]{64}$`, a.Digest())
	b.Nodes[0].Position.X = math.Nextafter(b.Nodes[0].Position.X, 1)
	require.NotEqual(t, a.Digest(), b.Digest())
}
